// Tests the suggestions of a box, and the marked words.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import type { FoundOrganization } from "../../../site/src/api/client.ts";
import { wordsHref } from "../../../site/src/search/fields.ts";
import { type Suggestion, suggestForEin, suggestForWords } from "../../../site/src/search/suggestions.ts";
import { splitMatches } from "../../../site/src/text/matches.ts";
import { readEin } from "../../../site/src/text/typed.ts";
import { flintridge, organization, withoutGrants } from "../names/organizations.fixture.ts";

const ein = "941156365";
const none = { records: 0, amount: 0 };
const pasadena = organization();
const both = organization({ ein, name: "Stanford University", received: { records: 24, amount: 5 } });
const found = (name: string, ...organizations: readonly FoundOrganization[]) => ({ name, organizations });
const hrefs = (suggestions: readonly Suggestion[]) =>
  suggestions.map(({ target }) => ("href" in target ? target.href : target.scope));

describe("suggestions", () => {
  it("are the purpose, the recipient's name, and organizations by name, in the order that Enter takes", () => {
    const [first, ...others] = suggestForWords(" pasadena ", "purpose", found("pasadena", pasadena));
    expect(first).toMatchObject({ lead: "Purpose contains", subject: "pasadena", note: "Enter" });
    expect(others.map(({ lead, subject, note }) => [lead, subject, note])).toStrictEqual([
      ["Recipient name contains", "pasadena", ""],
      ["", "Pasadena Community Foundation", ""],
    ]);
    expect(suggestForWords("music", "recipient_name", found("music"))[0]?.lead).toBe(
      "Recipient name contains",
    );
    expect(suggestForWords("  ", "purpose", found("pasadena", pasadena))).toStrictEqual([]);
    expect(suggestForWords("music", "purpose", { name: "music", organizations: undefined })).toHaveLength(2);
  });

  it("begin with the words in the place that was read, keep the text as it is, and offer a cause", () => {
    const placed = {
      words: "music",
      place: { recipient_city: "Austin", recipient_state: "TX" },
    };
    const cause = { code: "A68", name: "Music (A68)" };
    const text = "music in Austin, Texas";
    const all = suggestForWords(text, "purpose", found(""), { placed, cause });
    expect(all.map(({ lead, subject, place = "", note }) => [lead, subject, place, note])).toStrictEqual([
      ["Purpose contains", "music", "in Austin TX", "Enter"],
      ["Purpose contains", text, "", ""],
      ["Recipient name contains", text, "", ""],
      ["Recipients for", "Music (A68)", "in Austin TX", "Cause"],
    ]);
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
    expect(all.map(({ target }) => ("href" in target ? target.href : wordsHref(target)))).toStrictEqual([
      "/?purpose=music&recipient_city=Austin&recipient_state=TX",
      "/?purpose=music+in+Austin%2C+Texas&match=words",
      "/?recipient_name=music+in+Austin%2C+Texas&match=words",
      "/?recipient_city=Austin&recipient_state=TX&recipient_cause=A68",
    ]);
    const [bare] = suggestForWords("in Texas", "purpose", found(""), {
      placed: { words: "", place: { recipient_state: "TX" } },
    });
    expect([bare?.lead, bare?.subject]).toStrictEqual(["Grants to recipients", "in Texas"]);
  });

  it("lead to the grants that an organization made or, if it made none, received; to both if it has both", () => {
    const all = suggestForWords("x y", "purpose", found("x y", flintridge, both, withoutGrants));
    expect(hrefs(all.slice(2))).toStrictEqual([
      "/recipient?ein=951642394",
      `/funder?ein=${ein}`,
      `/recipient?ein=${ein}`,
      "/funder?ein=131635294",
    ]);
    expect(all[4]).toMatchObject({
      lead: "Grants received by",
      subject: "Stanford University",
      note: "24 grants",
    });
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
  });

  it("begin with an organization whose whole name was typed, so that Enter goes to it", () => {
    const exact = { ...both, match: "exact" } as const;
    const typed = "the stanford  University";
    const suggestions = suggestForWords(typed, "purpose", found("the stanford university", exact, pasadena));
    expect(hrefs(suggestions)).toStrictEqual([
      `/funder?ein=${ein}`,
      `/recipient?ein=${ein}`,
      "purpose",
      "recipient_name",
      "/funder?ein=200253310",
    ]);
    expect(suggestions.map(({ note }) => note).slice(0, 3)).toStrictEqual(["Enter", "24 grants", ""]);
  });

  it("begin with the words while the organizations are of an earlier text, and if names of recipients are searched", () => {
    const exact = found("stanford university", { ...both, match: "exact" });
    for (const [text, scope] of [
      ["stanford university h", "purpose"],
      ["stanford university", "recipient_name"],
    ] as const)
      expect(suggestForWords(text, scope, exact)[0]?.target).toStrictEqual({ scope, words: text });
  });

  it("of an EIN are the grants it made and received, if the release has them", () => {
    const suggest = (...organizations: readonly FoundOrganization[]) =>
      suggestForEin(ein, found(ein, ...organizations));
    expect(suggest(both).map(({ lead, note }) => [lead, note])).toStrictEqual([
      ["Grants made by", "1,723 grants"],
      ["Grants received by", "24 grants"],
    ]);
    expect(hrefs(suggest({ ...both, given: none }))).toStrictEqual([`/recipient?ein=${ein}`]);
    const page = { href: "/funder?ein=941156365" };
    expect(suggest()).toMatchObject([{ lead: "Not in the data:", subject: "EIN 94-1156365", target: page }]);
    expect(suggest({ ...withoutGrants, ein })).toMatchObject([
      { lead: "Has no grants in the data:", subject: "Quiet Fund", target: page },
    ]);
    expect(suggestForEin(ein, { name: ein, organizations: undefined })).toMatchObject([
      { lead: "Grants made by", target: page },
    ]);
    expect(suggestForEin(ein, found("94", both))).toStrictEqual([]); // the answer of this EIN is awaited
  });

  it("recognize an EIN with or without its hyphen", () => {
    expect([
      readEin("94-1156365"),
      readEin(" 941156365"),
      readEin("94-115636"),
      readEin("food"),
    ]).toStrictEqual([ein, ein, undefined, undefined]);
  });
});

describe("marked words", () => {
  it("are found whatever their case, and however their letters are composed", () => {
    expect(splitMatches("FOOD and food", "Food")).toStrictEqual(["", "FOOD", " and ", "food", ""]);
    expect(splitMatches("Cafe\u0301 Müller", "é m")).toStrictEqual(["Caf", "e\u0301 M", "üller"]);
    expect(splitMatches("a.b (c)", ".b (")).toStrictEqual(["a", ".b (", "c)"]);
    expect(splitMatches("a \u0301b", "A \u0301")).toStrictEqual(["", "a \u0301", "b"]); // an accent may follow a space
    expect(splitMatches("nothing", "x")).toStrictEqual(["nothing"]);
  });

  it("are there exactly if the API finds the text, and the pieces are the text", () => {
    const text = fc.string({
      unit: fc.constantFrom(..."aAbBéÉ", "e\u0301", "\u0301", "İ", " ", "ß", "한", "\u1112"),
    });
    fc.assert(
      fc.property(text, text, (whole, part) => {
        fc.pre(part.trim() !== "");
        const pieces = splitMatches(whole, part);
        expect(pieces.join("")).toBe(whole);
        expect(pieces.length > 1).toBe(canonicalText(whole).includes(canonicalText(part)));
      }),
      { numRuns: 500 },
    );
  });
});
