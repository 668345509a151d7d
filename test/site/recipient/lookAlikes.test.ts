// Tests how grants that may belong to a recipient are found and grouped.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findLookAlikes,
  findSlip,
  isSearchable,
  searchedName,
} from "../../../site/src/recipient/lookAlikes.ts";

const grant = (
  recipient_ein: string | null,
  amount: number,
  funder_ein = "200253310",
  transaction_year = 2018,
) => ({
  recipient_ein,
  amount,
  funder_ein,
  transaction_year,
});

describe("look-alikes", () => {
  it("are grouped by EIN: slips first, then those without one, then the largest; the counted are left out", () => {
    const found = [
      grant("951642394", 5),
      grant("123456789", 900),
      grant(null, 10, "472387053"),
      grant(null, 20, "472387053", 2017),
      grant("911642394", 1),
    ];
    expect(findLookAlikes("951642394", found)).toStrictEqual([
      { ein: "911642394", grants: 1, amount: 1, slip: "one digit", funder: "200253310", year: 2018 },
      { ein: null, grants: 2, amount: 30, slip: undefined, funder: "472387053", year: undefined },
      { ein: "123456789", grants: 1, amount: 900, slip: undefined, funder: "200253310", year: 2018 },
    ]);
  });

  it("hold every grant that isn't counted, once", () => {
    const eins = fc.constantFrom(null, "951642394", "911642394", "123456789");
    fc.assert(
      fc.property(fc.array(eins), (all) => {
        const groups = findLookAlikes(
          "951642394",
          all.map((ein) => grant(ein, 1)),
        );
        const uncounted = all.filter((ein) => ein !== "951642394");
        expect(groups.reduce((sum, { grants }) => sum + grants, 0)).toBe(uncounted.length);
        expect(groups).toHaveLength(new Set(uncounted).size);
      }),
    );
  });
});

describe("two EINs", () => {
  const eins = fc.stringMatching(/^\d{9}$/);

  it("are one digit apart exactly if one position differs", () => {
    fc.assert(
      fc.property(eins, fc.nat(8), fc.integer({ min: 1, max: 9 }), (ein, index, step) => {
        const other = ein.slice(0, index) + ((Number(ein[index]) + step) % 10) + ein.slice(index + 1);
        expect(findSlip(ein, other)).toBe("one digit");
        expect(findSlip(other, ein)).toBe("one digit");
      }),
    );
  });

  it("are no slip of themselves, and swap two neighbors otherwise", () => {
    fc.assert(
      fc.property(eins, fc.nat(7), (ein, index) => {
        const [a = "", b = ""] = [ein[index], ein[index + 1]];
        const other = ein.slice(0, index) + b + a + ein.slice(index + 2);
        expect(findSlip(ein, other)).toBe(a === b ? undefined : "two digits swapped");
      }),
    );
    expect(findSlip("951642394", "951643295")).toBeUndefined();
    expect(findSlip("951642394", "159642394")).toBeUndefined();
    expect(findSlip("951642394", "95164239")).toBeUndefined();
  });
});

describe("a name", () => {
  it("is searched for from six letters, at most 200 characters of it", () => {
    expect(isSearchable("USC - 2018")).toBe(false);
    expect(isSearchable("Caritas")).toBe(true);
    expect(isSearchable("Élan Çà")).toBe(true);
    expect([...searchedName("ä".repeat(300))]).toHaveLength(200);
  });
});
