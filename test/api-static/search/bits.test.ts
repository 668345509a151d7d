// Tests sets of bits against sets of JavaScript.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countBits, hasBit, newBits, visitRuns } from "../../../api-static/search/bits.ts";
import { addRange } from "./bits.fixture.ts";

const length = 200;
const integer = fc.integer({ min: 0, max: length - 1 });

/** Few integers, many, or runs of them, whose ends fall on every bit of a 32-bit integer. */
const ranges = fc.array(fc.tuple(integer, integer), { maxLength: 6 });

describe("a set of bits", () => {
  it("has, counts and visits what was added", () => {
    fc.assert(
      fc.property(ranges, integer, integer, (added, from, to) => {
        const bits = newBits(length);
        const expected = new Set<number>();
        for (const [first, last] of added) {
          addRange(bits, first, last + 1);
          for (let one = first; one <= last; one++) expected.add(one);
        }
        const all = Array.from({ length: length + 1 }, (_, one) => one);
        expect(all.filter((one) => hasBit(bits, one))).toStrictEqual(all.filter((one) => expected.has(one)));
        expect(countBits(bits, from, to)).toBe(all.slice(from, to).filter((one) => expected.has(one)).length);
        const runs: [number, number][] = [];
        visitRuns(bits, (first, end) => runs.push([first, end]));
        for (const [index, [first]] of runs.entries())
          expect(first).toBeGreaterThan(runs[index - 1]?.[1] ?? -1); // no two runs touch
        const visited = runs.flatMap(([first, end]) => all.slice(first, end));
        expect(visited).toStrictEqual([...expected].sort((one, other) => one - other));
      }),
    );
  });
});
