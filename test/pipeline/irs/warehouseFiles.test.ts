// Tests that the files of a warehouse have the same grants, however many are written at the same time.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { countReturns } from "../../../pipeline/irs/counting.ts";
import { partFiles, partFolder } from "../../../pipeline/irs/parts.ts";
import { writeReturns } from "../../../pipeline/irs/report.ts";
import { writeGrants } from "../../../pipeline/irs/warehouseFiles.ts";
import { writeParts } from "../../../tools/bench/irsParts.ts";
import { digestFolder } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { query } from "./season.fixture.ts";

const folder = useFolder();

it("files that are written at the same time have the bytes of files written one after the other", async () => {
  const database = await openDatabase({
    memory: "500MB",
    threads: 3,
    spillFolder: join(folder.home, "spill"),
  });
  const { instance, connection } = database;
  try {
    const parts = join(folder.home, "parts");
    const sources = await writeParts(connection, parts, 5_000);
    const pathsOf = (file: string) => sources.map((source) => join(partFolder(parts, source), file));
    const paths = { returns: pathsOf(partFiles.returns), grants: pathsOf(partFiles.grants) };
    await countReturns(connection, paths);
    const named = sources.map(({ name }) => name);
    await writeReturns(connection, paths.returns, named, join(folder.home, "returns"));
    const write = async (threads: number, maxGrants: number) => {
      const out = join(folder.home, `${threads}-${maxGrants}`);
      await mkdir(out);
      const written: number[] = [];
      const files = { paths: paths.grants, folder: out, maxGrants };
      const names = await writeGrants(database, threads, files, (grants) => written.push(grants));
      const digests = await digestFolder(out);
      expect(Object.keys(digests).sort()).toEqual(names.map((name) => `${name}.tmp`));
      const [rows] = await query(
        "SELECT count(*)::INTEGER AS count, count(DISTINCT id)::INTEGER AS ids, sum(hash(COLUMNS(*)))::VARCHAR FROM read_parquet($path)",
        join(out, "*.tmp"),
      );
      expect(rows).toMatchObject({ count: written.at(-1), ids: written.at(-1) });
      return { digests, rows, files: names.length };
    };
    const one = await write(1, 400);
    expect(one.files).toBeGreaterThan(5);
    expect(await write(3, 400)).toEqual(one);
    const whole = await write(3, 1_000_000);
    expect([whole.files, whole.rows]).toEqual([1, one.rows]);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
