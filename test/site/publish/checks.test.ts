// Tests the checks of grants whose sum a reader may publish.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkGrants, findIncomplete } from "../../../site/src/publish/checks.ts";
import { grantsOf } from "./grants.fixture.ts";

const amended = "2016-11-15T04:00:00Z";

describe("the checks of grants", () => {
  it("count repeats of other filings once per filing, apart from equal rows within a filing", () => {
    const both = { recipient_name: "Both" };
    const grants = grantsOf([both, both, { ...both, created_at: amended }, { amount: 0.1 }, { amount: 0.2 }]);
    const { repeats, equal, withoutEin } = checkGrants(grants);
    expect(repeats).toEqual({ records: 1, amount: 1_000 });
    expect(equal).toEqual({ records: 1, amount: 1_000 });
    expect(withoutEin).toEqual({ records: 0, amount: 0 });
  });

  it("leave as many repeats as all copies but those of the filing with most of them", () => {
    const copies = fc.array(fc.nat(4), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(copies, (counts) => {
        const grants = grantsOf(
          counts.flatMap((count, filing) =>
            Array.from({ length: count }, () => ({ created_at: `2016-05-0${filing + 1}T04:00:00Z` })),
          ),
        );
        const all = counts.reduce((sum, count) => sum + count, 0);
        const { repeats, equal } = checkGrants(grants);
        expect(repeats.records).toBe(all - Math.max(...counts));
        expect(equal.records).toBe(all - counts.filter((count) => count > 0).length);
      }),
    );
  });

  it("name each return by one of its grants, the most grants first, and add cents exactly", () => {
    const of = (id: number) => ({ id, amount: 0.1, recipient_ein: null });
    const { filings, withoutEin } = checkGrants(grantsOf([of(2 ** 18), of(5), of(2 ** 18 - 1), of(7)]));
    expect(filings.map(({ id, records, amount }) => [id, records, amount])).toEqual([
      [5, 3, 0.3],
      [2 ** 18, 1, 0.1],
    ]);
    expect(withoutEin).toEqual({ records: 4, amount: 0.4 });
  });
});

describe("a year", () => {
  it("is incomplete until October 15 of the second year after it", () => {
    const years = [2024, 2023].map((transaction_year) => ({ transaction_year }));
    const at = (newest_created_at: string) => findIncomplete(years, { newest_created_at });
    expect(at("2025-10-14T23:59:59Z")).toEqual([2023, 2024]);
    expect(at("2025-10-15T00:00:00Z")).toEqual([2024]);
    expect(at("2026-10-15T00:00:00Z")).toEqual([]);
  });
});
