// Tests that a sync whose writes fail, or that is killed right before one, leaves a whole release, and that the next sync recovers.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { beforeAll, describe, expect, it } from "vitest";
import {
  compileLibrary,
  expectRecovery,
  expectWhole,
  type Fault,
  FaultyData,
  faultEnvironment,
  hasCompiler,
  readBefore,
  type Source,
} from "./faults.fixture.ts";
import { spread, startCommand } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/**
 * Writes of DuckDB and of threads, which the simulator of nights does not see, and one kill of a real process. "SHORT" is a disk that is
 * full in the middle of the last write of a part: the call reports fewer bytes, but no error.
 */
const faults: readonly Fault[] = [
  { call: "write", path: "/rejects.parquet", nth: 1, with: "ENOSPC" },
  { call: "write", path: "/records", nth: 1, with: "EIO" },
  { call: "write", path: "/records", nth: 1, with: "SHORT" },
  { call: "write", path: "/index.duckdb", nth: 6, with: "ENOSPC" },
  { call: "write", path: "/index.columns", nth: 1, with: "EIO" },
  { call: "fsync", path: "/index.duckdb", nth: 1, with: "EIO" },
  { call: "write", path: "/records.offsets", nth: 1, with: "ENOSPC" },
  { call: "write", path: "/records.offsets", nth: 1, with: "SHORT" },
  { call: "rename", path: "/current.next", nth: 1, with: "KILL" },
];

describe.skipIf(!hasCompiler)("a sync", () => {
  let faulty: FaultyData;
  let library = "";
  let source: Source;

  beforeAll(async () => {
    await mkdir(join(folder.root, "none"), { recursive: true });
    library = await compileLibrary(folder.root);
    faulty = new FaultyData(folder.root);
    await faulty.make(await put("../first.parquet", spread(9), "FROM range(180) t(i)"));
    const changes = {
      ...spread(9),
      purpose: "CASE WHEN i % 9 < 3 THEN 'OTHER' ELSE 'PURPOSE ' || i % 13 END",
    };
    source = await faulty.source(await put("../second.parquet", changes, "FROM range(180) t(i)"));
  });

  it.concurrent.each(faults)("recovers from $with at $call number $nth of …$path", async (fault) => {
    const data = await faulty.copy();
    const before = await readBefore(data);
    const mark = `${data}.happened`;
    const { code, stderr } = await startCommand("sync", {
      WAREHOUSE: source.warehouse,
      DATA: data,
      THREADS: "1",
      ...faultEnvironment(fault, library, data, mark),
    }).ended;
    expect(await pathExists(mark), stderr).toBe(true);
    if (fault.with === "KILL") expect(code).toBe(null);
    else expect([1, 2], stderr).toContain(code);
    if (fault.with === "ENOSPC" || fault.with === "SHORT")
      expect(stderr).toContain("sync: The disk holding DATA is full; the release was not built. Free space");
    if (fault.with === "SHORT") expect(stderr).not.toContain("built again"); // noticed at once
    await expectWhole(data, before, source);
    await expectRecovery(data, source);
  });
});
