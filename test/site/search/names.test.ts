// Tests how funders are found by the words that someone types, and which searches the home page offers.
import { describe, expect, it } from "vitest";
import type { Grant } from "../../../site/src/api/client.ts";
import { findFunders, listsOf } from "../../../site/src/names/useNames.ts";
import { chooseTries } from "../../../site/src/search/tries.ts";

const funder = (ein: string, name: string, records: number) => ({
  ein,
  name,
  city: null,
  state: null,
  records,
});

describe("funders by name", () => {
  it("are looked for in the lists of the two longest significant words", () => {
    expect(listsOf("Pasadena Community Foundation")).toStrictEqual(["pas"]);
    expect(listsOf("the Ford and Rockefeller of Detroit")).toStrictEqual(["roc", "det"]);
    expect(listsOf("3M")).toStrictEqual(["3m"]);
    expect(listsOf("a")).toStrictEqual([]);
    expect(listsOf(" ")).toStrictEqual([]);
  });

  it("have all typed words at the start of their own, and come by number of grants, each once", () => {
    const ford = funder("131684331", "FORD FOUNDATION", 90);
    const children = funder("200253310", "Fordham Children’s Fund", 100);
    const lists = [[ford, children], [children]];
    const eins = (text: string) => findFunders(lists, text).map(({ ein }) => ein);
    expect(eins("ford")).toStrictEqual([children.ein, ford.ein]);
    expect(eins("Ford found")).toStrictEqual([ford.ein]);
    expect(eins("childrens FORD")).toStrictEqual([children.ein]);
    expect(eins("ordham")).toStrictEqual([]);
    expect(eins("The Ford Foundation, Inc.")).toStrictEqual([ford.ein]);
  });
});

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
