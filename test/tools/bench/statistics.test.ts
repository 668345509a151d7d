// Tests the statistics against their definitions.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { geometricMean, median, percentile } from "../../../tools/bench/statistics.ts";

const times = fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
});

describe("median", () => {
  test("is the middle value in any order", () => {
    expect(median([30, 1, 2])).toBe(2);
  });

  test("of an even number of values is the mean of the two in the middle", () => {
    expect(median([4, 1, 100, 2])).toBe(3);
  });

  test("of no values is not a number", () => {
    expect(median([])).toBeNaN();
  });

  test("leaves as many values below as above", () => {
    fc.assert(
      fc.property(times, (values) => {
        const middle = median(values);
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });
});

describe("percentile", () => {
  test("of a hundred values is the 99th, of fewer the greatest", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile([3, 1, 2], 0.99)).toBe(3);
    expect(percentile([], 0.99)).toBeNaN();
  });

  test("is the smallest value that the share of the values does not exceed", () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (values, share) => {
        const found = percentile(values, share);
        expect(values).toContain(found);
        expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(values.length * share);
        expect(values.filter((value) => value < found).length).toBeLessThan(values.length * share);
      }),
    );
  });
});

describe("geometric mean", () => {
  test("of 1, 10 and 100 is 10", () => {
    expect(geometricMean([100, 1, 10])).toBeCloseTo(10, 10);
  });

  test("of values that are all twice as large is twice as large", () => {
    fc.assert(
      fc.property(times, (values) => {
        const twice = geometricMean(values.map((value) => 2 * value));
        expect(twice / geometricMean(values)).toBeCloseTo(2, 8);
      }),
    );
  });
});
