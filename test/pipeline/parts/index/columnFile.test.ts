// Tests that columns of every width keep their values, and that sums that a column cannot hold are refused.
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "../../../../pipeline/base/database.ts";
import { InputError } from "../../../../pipeline/base/failure.ts";
import { ColumnFile, fillStarts } from "../../../../pipeline/parts/index/columnFile.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

it.each([
  [1, 255],
  [2, 65_535],
  [4, 2_147_483_647],
] as const)("reads values of %i bytes as they were written, also in the middle", (width, most) => {
  const length = 70_000; // more than are written at once
  const values = Int32Array.from({ length }, (_, row) => (row % 2 === 0 ? most - (row % 200) : row % 200));
  const file = new ColumnFile(join(folder.home, "columns"));
  const column = file.add("rank.type", length, width);
  column.pushAll(values);
  column.end();
  const read = file.read("rank.type");
  expect(read.length).toBe(length);
  expect([...read.slice(65_530, 65_545)]).toEqual([...values.slice(65_530, 65_545)]);
  expect(read.slice(0, length)).toEqual(values);
  expect(read.at(length - 1)).toBe(values.at(-1));
  file.close();
});

it("names the column whose lists have more values than 32 bits count", async () => {
  const { connection, instance } = await openDatabase({ memory: "100MB", threads: 1, spillFolder: "" });
  const file = new ColumnFile(join(folder.home, "columns"));
  const fill = (counts: string) =>
    fillStarts(connection, `SELECT unnest([${counts}])::INTEGER`, file.add("purpose.start", 3));
  await fill("2147483646, 1");
  await expect(fill("2147483646, 2")).rejects.toThrow(
    new InputError(
      "purpose.start has 2147483648 values; a release holds at most 2147483647: see docs/scale.md",
    ),
  );
  file.close();
  connection.closeSync();
  instance.closeSync();
});
