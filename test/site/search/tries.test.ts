// Tests which searches the home page offers.
import { describe, expect, it } from "vitest";
import type { Grant } from "../../../site/src/api/client.ts";
import { chooseTries } from "../../../site/src/search/tries.ts";

describe("searches to try", () => {
  const grant = (changed: Partial<Grant>): Grant => ({
    id: 1,
    funder_ein: "131684331",
    transaction_year: 2020,
    recipient_name: null,
    recipient_ein: null,
    type: null,
    amount: 5,
    non_cash_amount: null,
    non_cash_description: null,
    purpose: null,
    created_at: "2021-01-01T00:00:00Z",
    ...changed,
  });
  const names = (named: Readonly<Record<string, string>>) => ({
    hasNames: true,
    isComplete: true,
    nameOf: (ein: string) => {
      const name = named[ein];
      return name === undefined ? undefined : { name, city: null, state: null };
    },
    isLookedUp: () => true,
  });

  it("find grants of the page that they were chosen from, and name a funder only if it has a name", () => {
    const grants = [
      grant({ purpose: "FOOD PANTRY", recipient_name: "Music Hall" }),
      grant({ purpose: "Scholarships", amount: 250_000, funder_ein: "200253310" }),
    ];
    expect(chooseTries(grants, names({})).map(({ text, href }) => [text, href])).toStrictEqual([
      ["food", "/?purpose=food"],
      ["scholarship of $100,000 or more", "/?purpose=scholarship&min_amount=100000"],
      ["who funds food", "/groups?by=funder&purpose=food"],
      ["recipients named “music”", "/?recipient_name=music"],
      ["13-1684331", "/funder?ein=131684331"],
    ]);
    const named = chooseTries(grants, names({ "131684331": "Ford Foundation" }));
    expect(named.slice(-2).map(({ text }) => text)).toStrictEqual([
      "recipients named “music”",
      "Ford Foundation",
    ]);
  });

  it("work without a usual word, and without any grant", () => {
    const unusual = [grant({ purpose: "unusual zebra" }), grant({ purpose: "Zebra care" })];
    expect(chooseTries(unusual, names({})).map(({ text }) => text)).toStrictEqual([
      "zebra",
      "who funds zebra",
      "13-1684331",
    ]);
    expect(chooseTries([], names({}))).toStrictEqual([]);
  });
});
