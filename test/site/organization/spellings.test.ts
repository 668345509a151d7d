// Tests how spellings of a recipient's name are gathered.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSpellings, findSpellings } from "../../../site/src/organization/spellings.ts";

const named = (...names: (string | null)[]) => names.map((recipient_name) => ({ recipient_name }));

describe("spellings", () => {
  it("are folded by case and white space, most frequent first", () => {
    expect(
      findSpellings(named("USC", "Trojan  Fund", "trojan fund", "TROJAN FUND", "Trojan Fund", null, " ")),
    ).toStrictEqual([
      { name: "Trojan Fund", grants: 4 },
      { name: "USC", grants: 1 },
    ]);
  });

  it("are rather shown without capitals if both forms are as frequent", () => {
    expect(findSpellings(named("TROJAN FUND", "Trojan Fund"))[0]?.name).toBe("Trojan Fund");
    expect(findSpellings(named("TROJAN FUND", "TROJAN FUND", "Trojan Fund"))[0]?.name).toBe("TROJAN FUND");
  });

  it("count every named grant once, whatever the order", () => {
    const names = fc.array(
      fc.option(fc.constantFrom("A b", "a B", "A  B", "C", "c ", "Ü", "ü", ""), { nil: null }),
    );
    fc.assert(
      fc.property(names, (all) => {
        const spellings = findSpellings(named(...all));
        expect(spellings.reduce((sum, { grants }) => sum + grants, 0)).toBe(
          all.filter((name) => name).length,
        );
        expect(findSpellings(named(...all.toReversed()))).toStrictEqual(spellings);
      }),
    );
  });

  it("of likely grants are counted apart, and those that nobody filed with the EIN come last", () => {
    expect(countSpellings(named("USC", "Usc", "Trojans"), named("usc", "U.S.C."))).toStrictEqual([
      { name: "Usc", grants: 2, likely: 1 },
      { name: "Trojans", grants: 1, likely: 0 },
      { name: "U.S.C.", grants: 0, likely: 1 },
    ]);
  });
});
