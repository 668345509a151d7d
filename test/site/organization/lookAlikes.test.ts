// Tests how grants that may belong to a recipient are found and grouped.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseSpellings, findLookAlikes, findSlip } from "../../../site/src/organization/lookAlikes.ts";

let lastId = 0;
const grant = (
  recipient_ein: string | null,
  amount: number,
  funder_ein = "200253310",
  transaction_year = 2018,
  recipient_name: string | null = "Caltech",
) => ({ id: ++lastId, recipient_ein, amount, funder_ein, transaction_year, recipient_name });
const caltech = (found: ReturnType<typeof grant>[]) => [{ name: "Caltech", found }];

describe("look-alikes", () => {
  it("are grouped by EIN: slips first, then those without one, then the largest; the counted are left out", () => {
    const found = [
      grant("951642394", 5),
      grant("123456789", 900),
      grant(null, 10, "472387053"),
      grant(null, 20, "472387053", 2017),
      grant("911642394", 1),
    ];
    const name = "Caltech";
    expect(findLookAlikes("951642394", caltech(found))).toStrictEqual([
      { ein: "911642394", grants: 1, amount: 1, slip: "one digit", name, funder: "200253310", year: 2018 },
      { ein: null, grants: 2, amount: 30, slip: undefined, name, funder: "472387053", year: undefined },
      { ein: "123456789", grants: 1, amount: 900, slip: undefined, name, funder: "200253310", year: 2018 },
    ]);
  });

  it("are found by every spelling, each grant once, and by the rarer ones only if the words are the same or the EIN a slip", () => {
    const both = grant("911642394", 803_151, "200253310", 2018, "CALTECH, INST OF TECHNOLOGY");
    const alikes = findLookAlikes("951642394", [
      { name: "California Institute of Technology", found: [] },
      { name: "Caltech", found: [both, grant(null, 5, "200253310", 2018, "Caltech Alumni")] },
      {
        name: "Inst of Technology",
        found: [both, grant(null, 10_000, "200253310", 2018, "INST. OF TECHNOLOGY")],
      },
    ]);
    expect(alikes.map(({ ein, amount, name }) => [ein, amount, name])).toStrictEqual([
      ["911642394", 803_151, "Caltech"],
      [null, 10_000, "Inst of Technology"],
    ]);
  });

  it("hold every grant that isn't counted, once", () => {
    const eins = fc.constantFrom(null, "951642394", "911642394", "123456789");
    fc.assert(
      fc.property(fc.array(eins), (all) => {
        const groups = findLookAlikes("951642394", caltech(all.map((ein) => grant(ein, 1))));
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

describe("the spellings to search for", () => {
  const named = (...names: (string | null)[]) => names.map((recipient_name) => ({ recipient_name }));

  it("are the name shown, then those of the grants, most frequent first, as filed", () => {
    const grants = named("CALTECH  INC", "CIT Pasadena", "cit pasadena", null, "Caltech");
    expect(chooseSpellings("Calif Tech", grants)).toStrictEqual([
      "Calif Tech",
      "CIT Pasadena",
      "CALTECH  INC",
      "Caltech",
    ]);
    expect(chooseSpellings(null, grants)[0]).toBe("CIT Pasadena");
  });

  it("omit those that contain an earlier one, and those of fewer than six letters", () => {
    expect(chooseSpellings("Caltech", named("CALTECH, INC.", "USC - 2018", "Élan Çà"))).toStrictEqual([
      "Caltech",
      "Élan Çà",
    ]);
    expect(chooseSpellings("USC", [])).toStrictEqual([]);
  });

  it("omit texts that filers write in place of names", () => {
    const texts = [
      "SEE ATTACHED SCHEDULE",
      "Various (see statement 12)",
      "Scholarship recipients",
      "Student Union",
    ];
    expect(chooseSpellings("Caltech", named(...texts))).toStrictEqual(["Caltech", "Student Union"]);
    expect(chooseSpellings("See attached", [])).toStrictEqual([]);
  });

  it("are at most six, of at most 200 characters", () => {
    const letters = [..."abcdefgh"].map((letter) => letter.repeat(300));
    const chosen = chooseSpellings(null, named(...letters));
    expect(chosen).toHaveLength(6);
    expect(chosen[0]).toHaveLength(200);
  });
});
