// Tests names: the words of a name, and which texts are keys of files.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { einPrefix, namesKey, nameWords, parseNamesKey } from "../../../../api-static/contract/text/names.ts";
import { ein, noise, text } from "../arbitraries.ts";

describe("nameWords", () => {
  it.each([
    ["THE FORD FOUNDATION", ["the", "ford", "foundation"]],
    ["AT&T Foundation", ["at", "and", "t", "foundation"]],
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

describe("parseNamesKey", () => {
  it("parses the key of every EIN", () => {
    fc.assert(
      fc.property(ein, (anyEin) => {
        const prefix = einPrefix(anyEin);
        expect(parseNamesKey(namesKey(prefix))).toStrictEqual({ kind: "names", prefix });
      }),
    );
  });

  it.each([
    "",
    "/v1/names/eins/1316.json",
    "v1/names/eins/131.json",
    "v1/names/eins/13163.json",
    "v1/names/eins/１３１６.json",
    "v1/names/eins/1316.json.gz",
    "v1/names/eins/1316.json\n",
    "v1/names/words/har.json",
    "v1/names/eins/../1316.json",
    "v1/names/1316.json",
  ])("refuses %j", (key) => {
    expect(parseNamesKey(key)).toBeUndefined();
  });

  it("refuses noise, or reads a key that is written the same", () => {
    fc.assert(
      fc.property(noise, (key) => {
        const request = parseNamesKey(key);
        expect(request === undefined || namesKey(request.prefix) === key).toBe(true);
      }),
    );
  });
});
