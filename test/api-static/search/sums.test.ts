// Tests that sums by group are exact, whatever the amounts, how many groups there are, and how often the sums are used.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sum } from "../../../api-static/contract/text/amount.ts";
import { Sums, type Wanted } from "../../../api-static/search/sums.ts";

/** Adds amounts as the lower 32 bits with a sign, and the multiple of 2^32 that they lack. */
function addAll(sums: Sums, matches: readonly (readonly [group: number, cents: bigint])[]): void {
  const groups = Int32Array.from(matches, ([group]) => group);
  const lows = Int32Array.from(matches, ([, cents]) => Number(BigInt.asIntN(32, cents)));
  sums.add(groups, lows, 0, matches.length, 2 ** 31);
  for (const [index, [group, cents]] of matches.entries()) {
    const missing = cents - BigInt(lows[index] as number);
    if (missing !== 0n) sums.addLarge(group, missing);
  }
}

/** The sums of all groups, in as many passes as there is room for. */
function sumUp(sums: Sums, ids: number, lists: readonly (readonly (readonly [number, bigint])[])[]) {
  const found = new Map<number, Sum>();
  for (let first = 0; first < ids; first += sums.maxSlice) addWanted(sums, ids, { first }, lists, found);
  expect(sums.countSeen()).toBe(found.size);
  return found;
}

/** Adds the sums of the wanted groups to `found`. */
function addWanted(
  sums: Sums,
  ids: number,
  wanted: Wanted,
  lists: readonly (readonly (readonly [number, bigint])[])[],
  found: Map<number, Sum>,
): void {
  sums.start(ids, wanted);
  for (const list of lists) addAll(sums, list);
  for (const place of sums.end()) {
    const id = sums.idAt(place);
    found.set(id, sums.sumOf(id) as Sum);
  }
}

function sumPlainly(lists: readonly (readonly (readonly [number, bigint])[])[]) {
  const found = new Map<number, Sum>();
  for (const [group, cents] of lists.flat()) {
    const { records, amount } = found.get(group) ?? { records: 0, amount: 0n };
    found.set(group, { records: records + 1, amount: amount + cents });
  }
  return found;
}

const sorted = (sums: ReadonlyMap<number, unknown>) => [...sums].sort(([one], [other]) => one - other);

describe("Sums", () => {
  const cents = fc.oneof(
    fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
    fc.constantFrom(0n, 1n, -1n, 2n ** 31n, -(2n ** 31n), 2n ** 32n - 1n, 10n ** 18n),
  );

  it("are those of plain addition, in one pass or several, used again and again", () => {
    const sums = [new Sums(100), new Sums(7)]; // of all runs
    const lists = fc.array(fc.array(fc.tuple(fc.nat(19), cents), { maxLength: 30 }), { maxLength: 5 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 20, max: 40 }), (lists, ids) => {
        for (const each of sums)
          expect(sorted(sumUp(each, ids, lists))).toStrictEqual(sorted(sumPlainly(lists)));
      }),
    );
  });

  it("of some groups are those of plain addition, and all groups are seen", () => {
    const sums = new Sums();
    const lists = fc.array(fc.array(fc.tuple(fc.nat(99), cents), { maxLength: 30 }), { maxLength: 5 });
    fc.assert(
      fc.property(lists, fc.uniqueArray(fc.nat(99), { maxLength: 20 }), (lists, wanted) => {
        const found = new Map<number, Sum>();
        addWanted(sums, 100, { ids: Int32Array.from(wanted) }, lists, found);
        const all = sumPlainly(lists);
        expect(sorted(found)).toStrictEqual(sorted(all).filter(([id]) => wanted.includes(id)));
        expect(sums.countSeen()).toBe(all.size);
        for (let id = 0; id < 100; id++)
          expect(sums.sumOf(id)).toStrictEqual(wanted.includes(id) ? all.get(id) : undefined);
      }),
    );
  });

  it("stay exact beyond the integers that a float holds", () => {
    const sums = new Sums();
    sums.start(4, { first: 0 });
    const [groups, lows] = [new Int32Array(2 ** 16).fill(2), new Int32Array(2 ** 16).fill(2 ** 31 - 1)];
    const lists = 2 ** 7; // 2^54 in all
    for (let list = 0; list < lists; list++) sums.add(groups, lows, 0, groups.length, 2 ** 31);
    sums.end();
    const records = groups.length * lists;
    expect(sums.sumOf(2)).toStrictEqual({ records, amount: BigInt(records) * (2n ** 31n - 1n) });
    expect(sums.sumOf(1)).toBeUndefined();
  });

  it("of many groups are found and cleared", () => {
    const groups = Int32Array.from({ length: 600_000 }, (_, index) => (index * 7) % 600_000);
    const lows = groups.map((group) => group % 5);
    const sums = new Sums();
    for (let round = 0; round < 2; round++) {
      sums.start(600_001, { first: 0 });
      sums.add(groups, lows, 0, groups.length, 5);
      expect(sums.end()).toHaveLength(600_000);
      expect(sums.sumOf(599_999)).toStrictEqual({ records: 1, amount: 4n });
      expect(sums.sumOf(600_000)).toBeUndefined();
    }
    sums.start(10, { first: 0 });
    expect([sums.end().length, sums.sumOf(3)]).toStrictEqual([0, undefined]);
  });
});
