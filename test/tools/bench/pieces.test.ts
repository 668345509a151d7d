// Tests the pieces that the suite cuts out of texts.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import { cutAcrossWords, cutLetters, cutPhrase, drawNumber } from "../../../tools/bench/pieces.ts";

const canonical = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .map(canonicalText)
  .filter((text) => text !== "");

test("a drawn number depends on its label alone and reaches every value", () => {
  expect(drawNumber("label", 1_000)).toBe(drawNumber("label", 1_000));
  expect(new Set(Array.from({ length: 200 }, (_, index) => drawNumber(String(index), 10))).size).toBe(10);
});

describe("letters", () => {
  test("are a part of the text that a request for them repeats unchanged", () => {
    fc.assert(
      fc.property(canonical, fc.integer({ min: 1, max: 6 }), (text, length) => {
        const piece = cutLetters(text, length);
        expect(text).toContain(piece);
        expect(canonicalText(piece)).toBe(piece);
      }),
    );
  });

  test("are as many as asked for, surrogate pairs whole", () => {
    expect([...cutLetters("general support", 3)]).toHaveLength(3);
    expect(cutLetters("😀", 1)).toBe("😀");
    expect(cutLetters("ab", 5)).toBe("ab");
  });
});

test("a phrase is neighboring words", () => {
  const text = "to support the music program";
  for (const count of [1, 2, 3]) {
    const phrase = cutPhrase(text, count);
    expect(phrase.split(" ")).toHaveLength(count);
    expect(` ${text} `).toContain(` ${phrase} `);
  }
  expect(cutPhrase("education", 3)).toBe("education");
});

test("a text across words starts and ends inside words", () => {
  expect(cutAcrossWords("general support")).toBe("eral supp");
  expect(cutAcrossWords("education")).toBe("education");
});
