// Tests how calendar years are listed, and gaps between them named.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findGaps, formatGaps, yearsBetween } from "../../../site/src/charts/years.ts";

describe("the years of a chart", () => {
  it("are every calendar year of the range, at most the last 300", () => {
    expect(yearsBetween(2009, 2012)).toStrictEqual([2009, 2010, 2011, 2012]);
    expect(yearsBetween(1000, 2020)).toHaveLength(300);
    expect(yearsBetween(1000, 2020).at(-1)).toBe(2020);
  });

  it("are gaps or years with grants, never both", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1990, max: 2030 }), { minLength: 1 }), (years) => {
        const all = [...new Set(years), ...findGaps(years)].sort((a, b) => a - b);
        expect(all).toStrictEqual(yearsBetween(Math.min(...years), Math.max(...years)));
      }),
    );
  });
});

describe("gaps in words", () => {
  it("name two years each, and more as a range", () => {
    expect(formatGaps(findGaps([2018, 2013, 2010]))).toBe("2011, 2012, and 2014 to 2017");
    expect(formatGaps(findGaps([2010, 2013]))).toBe("2011 and 2012");
    expect(formatGaps(findGaps([2010, 2012]))).toBe("2011");
  });

  it("are counted if they are many", () => {
    const years = Array.from({ length: 9 }, (_, index) => 2000 + 2 * index);
    expect(formatGaps(findGaps(years))).toBe("8 of the years 2001 to 2015");
  });
});
