// Tests that the first groups are those of a full sort, in its order.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Group, type GroupOrder, TopGroups } from "../../../api-static/search/firstGroups.ts";
import { Sums } from "../../../api-static/search/sums.ts";

it("keeps the first groups in order, with equal ones by the place of their key", () => {
  const amount = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(2 ** 31 - 1, -(2 ** 31)));
  const match = fc.tuple(fc.nat(3_000), amount, fc.constantFrom(0n, 0n, 2n ** 60n, -(2n ** 60n)));
  const sums = new Sums();
  const order = fc.constantFrom<GroupOrder>("amount", "records");
  fc.assert(
    fc.property(
      fc.array(match, { maxLength: 4_000, size: "max" }),
      order,
      fc.integer({ min: 1, max: 40 }),
      (matches, order, limit) => {
        sums.start(4_000, { first: 0 });
        sums.add(
          Int32Array.from(matches, ([group]) => group),
          Int32Array.from(matches, ([, low]) => low),
          0,
          matches.length,
          2 ** 31,
        );
        for (const [group, , large] of matches) if (large !== 0n) sums.addLarge(group, large);
        const places = sums.end().slice();
        const placeOf = (id: number) => (id * 1_009) % 4_001;
        const top = new TopGroups(limit, order, placeOf);
        top.offerAll(sums, places, 7);
        const all = [...places].flatMap((id) => (id === 7 ? [] : [{ id, ...sums.sumOf(id) } as Group]));
        const byAmount = (a: Group, b: Group) => Number(b.amount > a.amount) - Number(b.amount < a.amount);
        const byRecords = (a: Group, b: Group) => b.records - a.records;
        const [first, other] = order === "amount" ? [byAmount, byRecords] : [byRecords, byAmount];
        all.sort((a, b) => first(a, b) || other(a, b) || placeOf(a.id) - placeOf(b.id));
        expect(top.list()).toStrictEqual(all.slice(0, limit));
      },
    ),
    { numRuns: 40 },
  );
});
