// Tests that a file of Parquet replaces the draft of a run that was killed, without a second draft.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeParquet } from "../../../pipeline/irs/parquet.ts";
import { close, openSmallDatabase, useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

it("writes over a draft, whole or not", async () => {
  const database = await openSmallDatabase();
  const { connection } = database;
  const target = join(folder.home, "grants-0000.parquet.tmp");
  await mkdir(join(folder.home, "tmp_grants-0000.parquet.tmp")); // the name of DuckDB's own draft: no file can have it now
  await writeFile(target, "PAR1 but no more");
  for (const rows of [3, 2]) {
    await writeParquet(connection, target, "SELECT n FROM range($rows::INTEGER) t(n)", { rows });
    const read = await connection.runAndReadAll(`SELECT count(*)::INTEGER FROM read_parquet('${target}')`);
    expect(read.getRows()).toEqual([[rows]]);
  }
  close(database);
});
