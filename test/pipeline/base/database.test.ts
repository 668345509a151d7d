// Tests that the pipeline's DuckDB stays within its settings.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { openDatabase, withConnection, withOwnTables } from "../../../pipeline/base/database.ts";
import { close, useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** A table of some 60 MB. */
const large = "CREATE TABLE large AS SELECT i, hash(i) AS a, hash(-i) AS b FROM range(3_000_000) t(i)";

it("keeps to its memory: without a spill folder a larger table fails", async () => {
  const database = await openDatabase({ memory: "20MB", threads: 1, spillFolder: "" });
  await expect(database.connection.run(large)).rejects.toThrow(/out of memory/i);
  close(database);
});

it("spills into its folder, and removes what it spilled", async () => {
  const spillFolder = join(folder.home, "spill");
  const database = await openDatabase({ memory: "20MB", threads: 1, spillFolder });
  await database.connection.run(large);
  expect(await readdir(spillFolder)).not.toEqual([]);
  close(database);
  expect(await readdir(folder.home)).toEqual([]);
});

it("uses as many threads as it is given, the time zone UTC, and downloads nothing", async () => {
  const database = await openDatabase({ memory: "512MB", threads: 3, spillFolder: "" });
  const names = ["threads", "TimeZone", "autoinstall_known_extensions", "autoload_known_extensions"];
  const read = await database.connection.runAndReadAll(
    `SELECT ${names.map((name) => `current_setting('${name}')::VARCHAR`).join(", ")}`,
  );
  expect(read.getRows()).toEqual([["3", "UTC", "false", "false"]]);
  close(database);
});

it("removes the tables that work made, and keeps the rows that it added to others", async () => {
  const settings = { memory: "512MB", threads: 1, spillFolder: join(folder.home, "spill") };
  const database = await openDatabase({ ...settings, file: join(folder.home, "tables.duckdb") });
  const { connection, instance } = database;
  await connection.run("CREATE TABLE found (n INTEGER); CREATE TABLE numbers AS FROM range(5) t(n)");
  const tables = async () =>
    (await connection.runAndReadAll("SELECT table_name FROM duckdb_tables() ORDER BY 1")).getRows();
  const work = (own: DuckDBConnection) => async () => {
    await own.run("CREATE TABLE even AS FROM numbers WHERE n % 2 = 0");
    await own.run("INSERT INTO found FROM even");
  };
  // Side by side, each sees only its own table.
  await Promise.all([
    withOwnTables(connection, work(connection)),
    withConnection(instance, (own) => work(own)()),
  ]);
  expect(await tables()).toEqual([["found"], ["numbers"]]);
  expect((await connection.runAndReadAll("SELECT sum(n)::INTEGER FROM found")).getRows()).toEqual([[12]]);
  close(database);
});

it("puts new tables in the place of dropped ones in its file", async () => {
  const file = join(folder.home, "tables.duckdb");
  const database = await openDatabase({ memory: "512MB", threads: 1, spillFolder: "", file });
  const sizes: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    await database.connection.run(large);
    await database.connection.run("DROP TABLE large");
    sizes.push((await stat(file)).size);
  }
  expect(Math.max(...sizes)).toBeLessThan(1.5 * Number(sizes[0]));
  close(database);
});
