// Tests canonical text: JavaScript and DuckDB agree on every character, and canonical text is stable.
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { canonicalText, canonicalTextSql, whiteSpace } from "../../../../api-static/contract/text/text.ts";
import { spreadOf } from "../../../proofs.ts";
import { text } from "../arbitraries.ts";

const codePoints = Array.from({ length: 0x10ffff }, (_none, index) => index + 1)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
const isAssigned = (letter: string) => !/[\p{Cn}\p{Co}]/u.test(letter);

/** Nine in ten code points are no characters yet, or are for private use. */
const everyCharacter = [
  ...codePoints.filter(isAssigned),
  ...spreadOf(
    "code points without a character",
    codePoints.filter((letter) => !isAssigned(letter)),
    50,
  ),
];

/** The result of a query for each text. Texts are sent as hexadecimal so that no driver changes them. */
let inDuckdb: (expression: string, texts: readonly string[]) => Promise<string[]>;

beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  inDuckdb = async (expression, texts) => {
    const reader = await connection.runAndReadAll(
      `SELECT string_agg(hex(encode(${expression})), ',' ORDER BY place)
       FROM (SELECT decode(unhex(unnest(hexes))) AS text, generate_subscripts(hexes, 1) AS place
             FROM (SELECT string_split($1, ',') AS hexes))`,
      [texts.map((text) => Buffer.from(text).toString("hex")).join(",")],
    );
    const hexes = String(reader.getRows()[0]?.[0]).split(",");
    return hexes.map((hex) => Buffer.from(hex, "hex").toString());
  };
});

/** The texts whose canonical form differs between JavaScript and DuckDB, as code points. */
async function differing(texts: readonly string[]): Promise<string[]> {
  const theirs = await inDuckdb(
    canonicalTextSql("text"),
    texts.map((text) => text.trim()),
  );
  return texts.filter((text, index) => canonicalText(text) !== theirs[index]).map(shown);
}

function shown(text: string): string {
  return [...text].map((letter) => `U+${letter.codePointAt(0)?.toString(16)}`).join(" ");
}

describe("canonicalText and canonicalTextSql", () => {
  it("agree on every character between two letters", async () => {
    const texts = everyCharacter.map((letter) => `a${letter}a`);
    expect(await differing(texts)).toStrictEqual([]);
  });

  it("agree on the decomposed form of every character", async () => {
    const texts = everyCharacter.map((letter) => letter.normalize("NFD"));
    expect(await differing(texts.filter((text, index) => text !== everyCharacter[index]))).toStrictEqual([]);
  });

  it("agree on the order of every mark among others", async () => {
    const others = ["\u0301", "\u0327", "\u0334", "\u0345", "\u05B0", "\u094D", "\u3099"];
    const marks = everyCharacter.filter((letter) => /\p{M}/u.test(letter));
    const texts = marks.flatMap((mark) =>
      others.flatMap((other) => [`x${mark}${other}`, `x${other}${mark}`]),
    );
    expect(await differing(texts)).toStrictEqual([]);
  });

  it("agree on any text", async () => {
    const property = fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 50 }), async (texts) => {
      expect(await differing(texts)).toStrictEqual([]);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it("agree on text with NUL, which does not end the text", async () => {
    const texts = ["\0", "a\0b", "é\0É", "E\u0301\0É and more than twelve bytes", "\0E\u0301\0"];
    expect(await differing(texts)).toStrictEqual([]);
    expect(canonicalText("E\u0301\0É")).toBe("é\uFFFDé");
  });

  it("agree on a vowel of Old Korean after a syllable, without losing it", async () => {
    expect(await differing(["가\u11A7", "가\u11A7나", "\u1100\u1161\u11A7\u11A8"])).toStrictEqual([]);
    expect(canonicalText("가\u11A7나")).toBe("가\uFFFD나");
  });
});

describe("canonicalText", () => {
  it.each([
    ["surrounding white space", " \t\u00A0\u3000General support\uFEFF\r\n", "general support"],
    ["not inner white space", "a  b\tc", "a  b\tc"],
    ["the decomposed form", "Cafe\u0301", "café"],
    ["the composed form", "CAFÉ", "café"],
    ["singletons", "\u212B \u212A \u2126", "å k ω"],
    ["Turkish letters", "İSTANBUL ISPARTA ı", "istanbul isparta ı"],
    ["Greek capitals, the last one too", "ΟΔΟΣ", "οδοσ"],
    ["the Greek final sigma", "οδος Ὀδυσσεὺς", "οδοσ ὀδυσσεὺσ"],
    ["a dotted i that other programs lower-cased", "i\u0307stanbul I\u0307\u0307", "istanbul i"],
    ["sharp s", "Straße STRASSE ẞ", "straße strasse ß"],
    ["letters outside the basic plane", "𐐀", "𐐨"],
    ["wildcards", "100%_of*?[a-z]", "100%_of*?[a-z]"],
    ["Korean letter by letter", "\u1112\u1161\u11AB\u1100\u1173\u11AF", "한글"],
  ])("reads %s", (_what, given, canonical) => {
    expect(canonicalText(given)).toBe(canonical);
  });

  it.each(["ẖ", "ǰ", "ẗ", "ẘ", "ẙ", "ῖ", "ΐ"])(
    "gives %s and its capital, which is two characters, the same form",
    (letter) => {
      const capital = letter.normalize("NFD").replace(/^./u, (base) => base.toUpperCase());
      expect(capital.normalize("NFC")).not.toBe(capital.normalize("NFC").toLowerCase());
      expect(canonicalText(capital)).toBe(letter);
      expect(canonicalText(letter)).toBe(letter);
    },
  );

  it("is the same for letters with the same capital, except the Turkish ı", () => {
    const capitals = everyCharacter.filter((letter) => [...letter.toUpperCase()].length === 1);
    const different = capitals.filter(
      (letter) =>
        letter === letter.toLowerCase() && canonicalText(letter) !== canonicalText(letter.toUpperCase()),
    );
    const unchanged = different.filter((letter) => letter === letter.toUpperCase().toLowerCase());
    expect(different.filter((letter) => !unchanged.includes(letter))).toStrictEqual(["ı", "\u0345"]);
  });

  it("is its own canonical form for every character with a case or a decomposition, marked or not", () => {
    const unstable = everyCharacter
      .filter((letter) => letter !== letter.toLowerCase() || letter !== letter.normalize("NFD"))
      .flatMap((letter) => [letter, letter.normalize("NFD"), letter.normalize("NFD").toUpperCase()])
      .flatMap((text) =>
        ["", "\u0301", "\u0307", "\u0308", "\u0331", "\u0342", "\u0345"].map((mark) => text + mark),
      )
      .filter((text) => canonicalText(canonicalText(text)) !== canonicalText(text));
    expect(unstable.map(shown)).toStrictEqual([]);
  });

  it("is its own canonical form for any text", () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(canonicalText(canonicalText(text))).toBe(canonicalText(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("of a part occurs in the form of the whole, if the part ends before a character that never combines", () => {
    // Only marks, modifier letters, and Korean vowels and finals can combine with the preceding letter.
    const startsAlone = (text: string) => !/^[\p{M}\p{Lm}\u1160-\u11FF\uD7B0-\uD7FF]/u.test(text);
    fc.assert(
      fc.property(text, text.filter(startsAlone), text.filter(startsAlone), (before, part, after) => {
        expect(canonicalText(before + part + after)).toContain(canonicalText(part));
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps lone surrogates and does not throw", () => {
    expect(canonicalText("A\uD800B\uDC00")).toBe("a\uD800b\uDC00");
  });
});

describe("whiteSpace", () => {
  it("has exactly the characters that trim removes, once each", () => {
    expect([...whiteSpace].toSorted()).toStrictEqual(
      everyCharacter.filter((letter) => letter.trim() === "").toSorted(),
    );
  });

  it("makes DuckDB's trim remove the same characters as JavaScript's", async () => {
    const texts = everyCharacter.filter((letter) => /[\p{Z}\p{Cc}\p{Cf}]/u.test(letter));
    const padded = texts.flatMap((letter) => [`${letter}a${letter}`, `${letter}\n a\u3000b ${letter}`]);
    const trimmed = await inDuckdb(`trim(text, '${whiteSpace}')`, padded);
    expect(trimmed).toStrictEqual(padded.map((text) => text.trim()));
  });
});
