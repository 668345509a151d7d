// Tests names: which words of a name count, and which texts are keys of files.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  einPrefix,
  namesKey,
  nameWords,
  parseNamesKey,
  significantWords,
  wordPrefix,
} from "../../../api-static/contract/names.ts";
import { ein, noise, text } from "./arbitraries.ts";

describe("nameWords", () => {
  it.each([
    ["THE FORD FOUNDATION", ["the", "ford", "foundation"]],
    ["AT&T Foundation", ["at", "t", "foundation"]],
    ["3M / Co.", ["3m", "co"]],
    ["Children's Fund of L’Été", ["childrens", "fund", "of", "lete"]],
    ["Fundación São-Tomé", ["fundacion", "sao", "tome"]],
    ["ﬁve ＡＢＣ ™ İstanbul", ["five", "abc", "tm", "istanbul"]],
    ["東京 Fund", ["fund"]],
    ["東京", []],
    [" - ", []],
    ["", []],
  ])("reads %s", (name, words) => {
    expect(nameWords(name)).toEqual(words);
  });

  it("does not depend on case, accents as separate characters, or space around the text", () => {
    fc.assert(
      fc.property(text, (name) => {
        const words = nameWords(name);
        expect(nameWords(words.join(" ").toUpperCase())).toEqual(words);
        expect(nameWords(` ${name.normalize("NFD")}\n`)).toEqual(nameWords(name.normalize("NFC")));
      }),
    );
  });
});

describe("significantWords", () => {
  it.each([
    ["The Ford Foundation Inc", ["ford"]],
    ["Community Foundation of Greater Dayton", ["greater", "dayton"]],
    ["John A and Mary B Smith Family Trust", ["john", "mary", "smith"]],
    ["Duluth Duluth Fund", ["duluth"]],
    ["3M Foundation", ["3m"]],
    // All words are common, so all count.
    ["The Community Foundation", ["the", "community", "foundation"]],
    ["A B C Trust", ["a", "b", "c", "trust"]],
    ["AT&T Foundation", ["at", "t", "foundation"]],
  ])("of %s", (name, words) => {
    expect(significantWords(name)).toEqual(words);
  });

  it("are words of the name, and at least one if it has any", () => {
    fc.assert(
      fc.property(text, (name) => {
        const words = nameWords(name);
        const significant = significantWords(name);
        expect(words).toEqual(expect.arrayContaining(significant));
        expect(significant.length > 0).toBe(words.length > 0);
      }),
    );
  });
});

describe("parseNamesKey", () => {
  it("parses the key of every EIN and of every word", () => {
    fc.assert(
      fc.property(ein, text, (anyEin, name) => {
        const prefix = einPrefix(anyEin);
        expect(parseNamesKey(namesKey("eins", prefix))).toStrictEqual({ kind: "names", by: "eins", prefix });
        for (const word of significantWords(name)) {
          const letters = wordPrefix(word);
          expect(word.startsWith(letters)).toBe(true);
          const request = { kind: "names", by: "words", prefix: letters };
          expect(parseNamesKey(namesKey("words", letters))).toStrictEqual(request);
        }
      }),
    );
  });

  it("parses the keys of words of one and two letters", () => {
    expect(parseNamesKey("v1/names/words/3m.json")).toMatchObject({ prefix: "3m" });
    expect(parseNamesKey("v1/names/words/t.json")).toMatchObject({ prefix: "t" });
  });

  it.each([
    "",
    "/v1/names/eins/1316.json",
    "v1/names/eins/131.json",
    "v1/names/eins/13163.json",
    "v1/names/eins/１３１６.json",
    "v1/names/eins/1316.json.gz",
    "v1/names/eins/1316.json\n",
    "v1/names/words/.json",
    "v1/names/words/abcd.json",
    "v1/names/words/ABC.json",
    "v1/names/words/é.json",
    "v1/names/words/../a.json",
    "v1/names/abc.json",
  ])("refuses %j", (key) => {
    expect(parseNamesKey(key)).toBeUndefined();
  });

  it("refuses noise, or reads a key that is written the same", () => {
    fc.assert(
      fc.property(noise, (key) => {
        const request = parseNamesKey(key);
        expect(request === undefined || namesKey(request.by, request.prefix) === key).toBe(true);
      }),
    );
  });
});
