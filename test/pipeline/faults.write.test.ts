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

const page = "/public/v1/funders/100000001/history-100-0.json.gz";
const same = "/public/v1/funders/100000008/history-100-0.json.gz";

/** In the order in which a sync makes the calls. */
const places: readonly (readonly [Fault["call"], string, number?])[] = [
  ["mkdir", "/building/release"],
  ["write", "/rejects.parquet"],
  ["write", "/records"],
  ["write", "/funders"],
  ["write", "/index.duckdb", 6],
  ["write", "/index.columns"],
  ["fsync", "/index.duckdb"],
  ["write", "/records.offsets"],
  ["write", "/funders.digests"],
  ["mkdir", "/funders/100000001"],
  ["write", page],
  ["link", same],
  ["write", "/pages"],
  ["write", "/changes.json"],
  ["write", "/report.json"],
  ["open", "/manifest.json"],
  ["write", "/manifest.json"],
  ["syncfs", "/building/release"],
  ["fsync", "/building/release/manifest.json"],
  ["fsync", "/building/release"],
  ["fsync", "/changes/pending.json.next"],
  ["rename", "/changes/pending.json.next"],
  ["rename", "/building/release"],
  ["fsync", "/releases"],
  ["symlink", "/current.next"],
  ["rename", "/current.next"],
  ["fsync", ""],
];

/** Each call fails in one of two ways. A sync is also killed right before the calls that make a release current. */
const faults: readonly Fault[] = places.flatMap(([call, path, nth = 1], index) => {
  const ways: Fault["with"][] = [index % 2 === 0 ? "ENOSPC" : "EIO"];
  if (/rename|symlink/.test(call) || path === "") ways.push("KILL");
  return ways.map((way) => ({ call, path, nth, with: way }));
});

/** A sync is killed after its release became current, and before the index of changes has it. */
const late: readonly Fault[] = [{ call: "rename", path: "/changes/index.json.next", nth: 1, with: "KILL" }];

/** The disk is full in the middle of the last write of a part: the call reports fewer bytes, but no error. */
const cutOff: readonly Fault[] = [
  { call: "write", path: "/records", nth: 1, with: "SHORT" },
  { call: "write", path: "/records.offsets", nth: 1, with: "SHORT" },
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

  it.concurrent.each([...faults, ...late, ...cutOff])(
    "recovers from $with at $call number $nth of …$path",
    async (fault) => {
      const data = await faulty.copy();
      const before = await readBefore(data);
      const mark = `${data}.happened`;
      const { code, stderr } = await startCommand("sync", {
        WAREHOUSE: source.warehouse,
        DATA: data,
        THREADS: "1",
        ...faultEnvironment(fault.path === "" ? { ...fault, path: data } : fault, library, data, mark),
      }).ended;
      expect(await pathExists(mark), stderr).toBe(true);
      if (fault.with === "KILL") expect(code).toBe(null);
      else expect([1, 2], stderr).toContain(code);
      if (fault.with === "ENOSPC" || fault.with === "SHORT")
        expect(stderr).toContain(
          "sync: The disk holding DATA is full; the release was not built. Free space",
        );
      if (fault.with === "SHORT") expect(stderr).not.toContain("built again"); // noticed at once
      await expectWhole(data, before, source, false);
      await expectRecovery(data, source, false);
    },
  );
});
