// Tests that the records of a year that reach an amount are found, with few reads.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { Column, Columns } from "../../../api-static/release/columns.ts";
import { Amounts } from "../../../api-static/search/amounts.ts";

/** Ranks of two years. The second one has too many to read all of them in one go. */
const years = [
  { first: 0, end: 3_000 },
  { first: 3_000, end: 43_000 },
];

/** Amounts of each year, in descending order, with ties, some of them negative, others of more than 32 bits. */
const amounts = BigInt64Array.from(
  years.flatMap(({ first, end }) =>
    Array.from(
      { length: end - first },
      (_, index) => BigInt(Math.floor((end - first - index) / 3) - 500) * 999_983n,
    ),
  ),
);

const folder = mkdtempSync(join(tmpdir(), "amounts-"));
writeFileSync(join(folder, "amounts"), amounts);
const file = openSync(join(folder, "amounts"), "r");
afterAll(() => {
  closeSync(file);
  rmSync(folder, { recursive: true });
});

const open = () =>
  new Amounts(
    new Columns(file, {
      ...{ records: amounts.length, years: [] },
      columns: { "rank.amount": { offset: 0, length: amounts.length, width: 8 } },
    }),
  );

describe("Amounts", () => {
  it("finds the end of the ranks that reach a minimum, in any year, for any minimum", () => {
    const kept = open();
    fc.assert(
      fc.property(
        fc.constantFrom(...years),
        fc.nat(amounts.length - 1),
        fc.bigInt(-1n, 1n),
        (year, rank, more) => {
          const minimum = (amounts[rank] as bigint) + more;
          const reached = amounts.subarray(year.first, year.end).filter((amount) => amount >= minimum).length;
          expect(kept.findEnd(minimum, year.first, year.end)).toBe(year.first + reached);
          expect(open().findEnd(minimum, year.first, year.end)).toBe(year.first + reached);
        },
      ),
    );
  });

  it("reads one block for a year whose halves are known", () => {
    const kept = open();
    const read = vi.spyOn(Column.prototype, "seek");
    const find = (minimum: bigint) => {
      read.mockClear();
      for (const { first, end } of years) kept.findEnd(minimum, first, end);
      return new Set(read.mock.results.map(({ value }) => value)).size;
    };
    try {
      expect(find(1_000_000n)).toBeGreaterThan(years.length);
      expect(find(1_000_001n)).toBe(years.length);
    } finally {
      read.mockRestore();
    }
  });
});
