// Tests the suggestions of a box, the searches to try on the home page, and the marked words.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ein } from "../../../api-static/contract/ein.ts";
import { canonicalText } from "../../../api-static/contract/text.ts";
import { readEin, suggestForEin, suggestForWords } from "../../../site/src/search/suggestions.ts";
import { splitMatches } from "../../../site/src/text/matches.ts";

const funder = {
  ein: "200253310",
  name: "Pasadena Community Foundation",
  city: null,
  state: null,
  records: 9,
};
const ein = "941156365" as Ein;

describe("suggestions", () => {
  it("are the purpose, the recipient's name, and funders by name, in the order that Enter takes", () => {
    const [first, ...others] = suggestForWords(" pasadena ", "purpose", [funder]);
    expect(first).toMatchObject({ lead: "Purpose contains", subject: "pasadena", note: "Enter" });
    expect(others.map(({ lead, subject, note }) => [lead, subject, note])).toStrictEqual([
      ["Recipient name contains", "pasadena", ""],
      ["Funder", "Pasadena Community Foundation", "20-0253310"],
    ]);
    expect(suggestForWords("music", "recipient_name", [])[0]?.lead).toBe("Recipient name contains");
    expect(suggestForWords("  ", "purpose", [funder])).toStrictEqual([]);
  });

  it("begin with a funder whose whole name was typed, so that Enter goes to it", () => {
    for (const typed of ["pasadena community foundation", "The Pasadena Community  Foundation, Inc."]) {
      const [first, second] = suggestForWords(typed, "purpose", [
        { ...funder, ein: "131635294", name: "Other" },
        funder,
      ]);
      expect(first).toMatchObject({
        lead: "Funder",
        note: "20-0253310, Enter",
        target: { href: "/funder?ein=200253310" },
      });
      expect(second).toMatchObject({ lead: "Purpose contains", note: "" });
    }
    expect(suggestForWords("the", "purpose", [funder])[0]?.lead).toBe("Purpose contains");
  });

  it("of an EIN are the grants it made and received, if the release has them", () => {
    const facts = { ein, name: "Stanford University", made: 103, received: 24 };
    expect(suggestForEin(facts).map(({ lead, note }) => [lead, note])).toStrictEqual([
      ["Grants made by", "103 grants"],
      ["Grants received by", "24 grants"],
    ]);
    expect(suggestForEin({ ...facts, made: 0 }).map(({ key }) => key)).toStrictEqual(["recipient"]);
    expect(suggestForEin({ ...facts, received: undefined })[1]).toMatchObject({ key: "recipient", note: "" });
    expect(suggestForEin({ ...facts, name: undefined, made: 0, received: 0 })).toMatchObject([
      { lead: "Not in the data:", subject: "EIN 94-1156365", target: { href: "/funder?ein=941156365" } },
    ]);
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
