// Tests the sums by funder and year.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sumGrid } from "../../../site/src/organization/grid.ts";

const grant = (funder_ein: string, transaction_year: number, amount: number) => ({
  funder_ein,
  transaction_year,
  amount,
});

describe("the grid", () => {
  it("has every year, the largest funder first, and sums to the cent", () => {
    const { years, rows } = sumGrid([
      grant("b", 2018, 0.1),
      grant("b", 2018, 0.2),
      grant("a", 2016, 500),
      grant("b", 2016, -50),
    ]);
    expect(years).toStrictEqual([2016, 2017, 2018]);
    expect(rows.map(({ ein, amount }) => [ein, amount])).toStrictEqual([
      ["a", 500],
      ["b", -49.7],
    ]);
    expect(rows[1]?.cells.get(2018)).toStrictEqual({ amount: 0.3, grants: 2, level: 1 });
    expect(rows[1]?.cells.get(2016)?.level).toBe(0);
    expect(rows[0]?.cells.get(2016)?.level).toBe(6);
    expect(rows[0]?.cells.get(2018)).toBeUndefined();
  });

  it("is empty without grants", () => {
    expect(sumGrid([])).toStrictEqual({ years: [], rows: [] });
  });

  it("colors more never weaker", () => {
    const grants = fc.array(
      fc
        .tuple(
          fc.constantFrom("a", "b", "c"),
          fc.integer({ min: 2010, max: 2014 }),
          fc.integer({ min: -9, max: 999 }),
        )
        .map(([ein, year, amount]) => grant(ein, year, amount)),
    );
    fc.assert(
      fc.property(grants, (all) => {
        const cells = sumGrid(all).rows.flatMap(({ cells }) => [...cells.values()]);
        const sorted = cells.toSorted((a, b) => a.amount - b.amount).map(({ level }) => level);
        expect(sorted).toStrictEqual(sorted.toSorted((a, b) => a - b));
        expect(cells.reduce((sum, { grants: count }) => sum + count, 0)).toBe(all.length);
      }),
    );
  });
});
