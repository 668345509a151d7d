// Tests the grid of states: every state has one tile, and bands of color hold equally many amounts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stateNames } from "../../../api-static/contract/text/states.ts";
import { bandOf, columns, cutBands, rows, tiles } from "../../../site/src/charts/tiles.ts";

describe("the grid of states", () => {
  it("has one tile for each of the 50 states and the District of Columbia, each in a place of its own", () => {
    expect(tiles).toHaveLength(51);
    expect(new Set(tiles.map(({ state }) => state)).size).toBe(51);
    expect(new Set(tiles.map(({ column, row }) => `${column} ${row}`)).size).toBe(51);
    expect(tiles.every(({ state }) => stateNames.has(state))).toBe(true);
    expect(tiles.every(({ column, row }) => column < columns && row < rows)).toBe(true);
    expect(tiles.find(({ state }) => state === "FL")).toStrictEqual({ state: "FL", column: 8, row: 7 });
  });
});

describe("the bands of amounts", () => {
  it("hold equally many, and have their smallest and largest amount as bounds", () => {
    expect(cutBands([50, 10, 20, 30, 40, -5, 0])).toStrictEqual(
      [10, 20, 30, 40, 50].map((at) => ({ from: at, to: at })),
    );
    expect(cutBands([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])[0]).toStrictEqual({ from: 1, to: 2 });
    expect(cutBands([])).toStrictEqual([]);
  });

  it("give the strongest color to the largest amount, and none to zero", () => {
    expect([7, 0, -3].map((amount) => bandOf(amount, cutBands([7])))).toStrictEqual([5, 0, 0]);
  });

  it("never divide equal amounts, and follow the order of amounts", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2, max: 12 }), { maxLength: 60 }), (amounts) => {
        const bands = cutBands(amounts);
        expect(bands.length).toBeLessThanOrEqual(5);
        const sorted = amounts.filter((amount) => amount > 0).sort((a, b) => a - b);
        const numbers = sorted.map((amount) => bandOf(amount, bands));
        expect(numbers).toStrictEqual([...numbers].sort((a, b) => a - b));
        expect(numbers.every((number) => number >= 1 && number <= 5)).toBe(true);
        for (const { from, to } of bands) expect(sorted.includes(from) && sorted.includes(to)).toBe(true);
        for (const [index, band] of bands.entries())
          expect(band.from).toBeGreaterThan(bands[index - 1]?.to ?? 0);
      }),
    );
  });
});
