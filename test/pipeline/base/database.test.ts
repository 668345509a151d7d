// Tests that the pipeline's DuckDB stays within its settings.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "../../../pipeline/base/database.ts";
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
