// Tests that columns are written in another order, whatever the number of batches.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Columns } from "../../../../api-static/release/columns.ts";
import { ColumnFile } from "../../../../pipeline/parts/index/columnFile.ts";
import { placesByGroup, rowNumbers, scatter, valuesOf } from "../../../../pipeline/parts/index/scatter.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** Writes rows by group, `atOnce` values at once; returns the row numbers and the values, in the new order. */
async function writeByGroup(groups: readonly number[], omitted: number, atOnce: number): Promise<number[][]> {
  const path = join(folder.home, "columns");
  const file = new ColumnFile(path);
  const add = (name: string, values: Iterable<number>, length: number) => {
    const column = file.add(name, length);
    column.pushAll(Int32Array.from(values));
    column.end();
  };
  const values = groups.map((_, row) => row * 7);
  add("group", groups, groups.length);
  add("value", values, groups.length);
  const starts = new Int32Array(omitted + 1);
  for (let group = 0; group < omitted; group++)
    starts[group + 1] = (starts[group] ?? 0) + groups.filter((one) => one === group).length;
  const length = starts[omitted] ?? 0;
  const move = {
    rows: groups.length,
    places: placesByGroup(valuesOf(file.read("group")), starts),
    values: [rowNumbers, valuesOf(file.read("value"))],
  };
  await scatter(move, length, [file.add("row", length), file.add("moved", length)], file, atOnce);
  file.end({ records: groups.length, years: [] });
  const columns = Columns.open(path);
  const found = ["row", "moved"].map((name) => [...columns.column(name).slice(0, length)]);
  columns.close();
  return found;
}

it("writes rows by group, each group in order, without those that are omitted", async () => {
  const omitted = 5;
  const groups = fc.array(fc.integer({ min: 0, max: omitted }), { minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(groups, fc.integer({ min: 2, max: 500 }), async (rows, atOnce) => {
      const kept = [...rows.keys()].filter((row) => rows[row] !== omitted);
      const sorted = kept.sort((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0) || a - b);
      const found = await writeByGroup(rows, omitted, atOnce);
      expect(found).toEqual([sorted, sorted.map((row) => row * 7)]);
    }),
    { numRuns: 30 },
  );
});

it("fills in the places that no row has", async () => {
  const file = new ColumnFile(join(folder.home, "columns"));
  const length = 2 ** 16 + 9;
  const move = {
    rows: 3,
    places: (_: number, places: Int32Array) => places.set([length - 1, 4, 0]),
    values: [rowNumbers],
    others: (from: number, values: Int32Array) => {
      for (let index = 0; index < values.length; index++) values[index] = -(from + index);
    },
  };
  await scatter(move, length, [file.add("filled", length)], file, 2 ** 16 + 5);
  const expected = Int32Array.from({ length }, (_, place) => -place);
  for (const [row, place] of [length - 1, 4, 0].entries()) expected[place] = row;
  expect(file.read("filled").slice(0, length)).toEqual(expected);
  file.close();
});

it("leaves no other file behind if it fails", async () => {
  const file = new ColumnFile(join(folder.home, "columns"));
  const fail = () => {
    throw new RangeError("no such value");
  };
  const move = { rows: 9, places: rowNumbers, values: [fail] };
  await expect(scatter(move, 9, [file.add("failed", 9)], file, 4)).rejects.toThrow("no such value");
  expect(await readdir(folder.home)).toEqual(["columns"]);
  file.close();
});

it.each([
  ["in several batches", 2 ** 15],
  ["in several buckets", 2 ** 20],
])("writes more rows than are moved in one turn, %s", async (_, atOnce) => {
  const groups = Array.from({ length: 2 ** 16 + 3 }, (_, row) => row % 2);
  const [rows = [], moved = []] = await writeByGroup(groups, 2, atOnce);
  const numbers = [...groups.keys()];
  expect(rows).toEqual([
    ...numbers.filter((row) => row % 2 === 0),
    ...numbers.filter((row) => row % 2 === 1),
  ]);
  expect(moved).toEqual(rows.map((row) => row * 7));
});
