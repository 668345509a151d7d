// Tests how dollars of other years are converted.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inPrices, isPriced, priceYear } from "../../../site/src/charts/prices.ts";

const column = (year: number, value: number) => ({ year, value, count: 1 });

describe("dollars in the prices of the last year of the table", () => {
  it("are those of the consumer price index", () => {
    const [first, likely, last, later] = inPrices([
      column(2000, 1_722),
      { ...column(2016, -240.007), likely: { value: 24_000.7, count: 2 } },
      column(priceYear, 5),
      column(priceYear + 1, 7),
    ]);
    expect(first?.value).toBe(3_137);
    expect(likely?.value).toBe(-314);
    expect(likely?.likely?.value).toBe(31_369);
    expect([last?.value, later?.value, first?.count]).toStrictEqual([5, 7, 1]);
  });

  it("grow with age, but for years in which prices fell", () => {
    const years = fc.integer({ min: 2000, max: priceYear - 1 }).filter((year) => year !== 2008);
    fc.assert(
      fc.property(years, (year) => {
        const [older, newer] = inPrices([column(year, 100), column(year + 1, 100)]);
        expect(older?.value).toBeGreaterThan(newer?.value ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  it("are not offered for years before the table", () => {
    expect(isPriced([column(2000, 1), column(2030, 1)])).toBe(true);
    expect(isPriced([column(1999, 1), column(2010, 1)])).toBe(false);
  });
});
