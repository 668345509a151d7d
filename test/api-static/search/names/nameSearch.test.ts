// Tests which organizations a text finds, and in which order.
import { rm } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameWords } from "../../../../api-static/contract/text/names.ts";
import { indexedWords, placeWords, spellWord } from "../../../../api-static/contract/text/nameWords.ts";
import { pick, seedRandom } from "../../../../pipeline/verify/random.ts";
import { itWhole } from "../../../whole.ts";
import { buildIndex, finder, type Listed, openNames } from "./nameIndex.fixture.ts";

const listed: readonly Listed[] = [
  { ein: 1, name: "FLINTRIDGE PREPARATORY SCHOOL INC", city: "LA CANADA", state: "CA" },
  { ein: 2, name: "FLINTRIDGE FDN", city: "PASADENA", state: "CA" },
  { ein: 3, name: "ST MARYS SCHOOL", city: "TOLEDO", state: "OH" },
  { ein: 4, name: "SAINT MARY SCHOOL", city: "AKRON", state: "OH" },
  { ein: 5, name: "YMCA OF GREATER NEW YORK", city: "NEW YORK", state: "NY" },
  { ein: 6, name: "YMCA", city: "SPRINGFIELD", state: "IL" },
  { ein: 7, name: "YMCA", city: "SPRINGFIELD", state: "MA" },
  { ein: 8, name: "CHILDRENS FOOD BANK & PANTRY", city: "AUSTIN", state: "TX" },
  { ein: 9, name: "AMERICAN LEGION", city: "AUSTIN", state: "TX", also: "POST 12 JOHN DOE" },
  { ein: 10, name: "AMERICAN LEGION", city: "DALLAS", state: "TX", also: "POST 77" },
  { ein: 11, name: "UNIVERSITY OF MICHIGAN", city: "ANN ARBOR", state: "MI" },
  { ein: 12, name: "Société Générale José", city: null, state: null },
  { ein: 13, name: "THE COMPANY", city: null, state: null },
  { ein: 14, name: "NATL ASSN OF THEATRE OWNERS", city: "WASHINGTON", state: "DC" },
  { ein: 15, name: "HARVARD COLLEGE", city: "CAMBRIDGE", state: "MA" },
];

const grants = [
  { funder: 2, recipient: 1, amount: "10.50" },
  { funder: 2, recipient: 7, amount: "-3.00" },
  { funder: 99, recipient: 7, amount: "9999999999999999.99" },
  { funder: 99, recipient: null },
];

let folder = "";
let opened: ReturnType<typeof openNames>;
let find: ReturnType<typeof finder>;
beforeAll(async () => {
  folder = await buildIndex(listed, grants);
  opened = openNames(folder);
  find = finder(opened);
});
afterAll(async () => {
  opened.columns.close();
  await rm(folder, { recursive: true });
});

const first = (text: string) => find(text).found[0];

describe("another name of an organization", () => {
  const named: readonly Listed[] = [
    { ein: 1, name: "CANDID", former: "FOUNDATION CENTER", state: "NY" },
    { ein: 2, name: "NATIONAL ASSOCIATION FOR THE EDUCATION OF YOUNG CHILDREN", state: "DC" },
    { ein: 3, name: "PARA LOS NINOS", state: "CA" },
    { ein: 4, name: "ASSISTING DEAF ADULTS TO PARTICIPAT E TOTALLY INC", state: "KY" },
    { ein: 5, name: "YOUNG MENS CHRISTIAN ASSOCIATION OF OMAHA", state: "NE" },
    { ein: 6, name: "PTA OKLAHOMA CONGRESS", state: "OK" },
    { ein: 7, name: "PSI CHI", also: "CENTRE COLLEGE", state: "KY" },
    { ein: 8, name: "FRIENDS OF THE KIRCHEN MUSEUM OF HISTORY IN THE VALLEY", state: "PA" },
    { ein: 9, name: "KITCHEN", state: "PA" },
    { ein: 10, name: "CENTER FOUNDATION OF THE ARTS", state: "TX" },
    { ein: 11, name: "PARTICIPATE", state: "TX" },
  ];
  const filed = [1, 2].map((funder) => ({ funder, recipient: 9, name: "Soup for All" }));
  const once = [{ funder: 1, recipient: 9, name: "Bread for All" }];
  let home = "";
  let names: ReturnType<typeof openNames>;
  beforeAll(async () => {
    home = await buildIndex(named, [...filed, ...once]);
    names = openNames(home);
  });
  afterAll(async () => {
    names.columns.close();
    await rm(home, { recursive: true });
  });

  it.each([
    ["foundation center", 1, "words"],
    ["soup for all", 9, "words"],
    ["naeyc", 2, "words"],
    ["paralosninos", 3, "exact"],
    ["assisting deaf adults to participate totally", 4, "words"],
    ["ymca omaha", 5, "exact"],
    ["parent teacher association oklahoma congress", 6, "exact"],
    ["centre college", 7, "words"],
  ])("finds for %j the organization %i", (text, ein, match) => {
    const { total, found } = finder(names)(text);
    expect(found[0]).toMatchObject({ ein, match });
    expect(total).toBeGreaterThan(0);
  });

  it("never has a score that is sure, and counts its organization once", () => {
    expect(finder(names)("candid")).toMatchObject({ total: 1, found: [{ ein: 1, match: "exact" }] });
    const { total, found } = finder(names)("foundation center", { state: "NY" });
    expect([total, found.length]).toEqual([1, 1]);
    expect(found[0]?.score).toBeLessThan(0.9);
    expect(finder(names)("centre college").found[0]?.score).toBeLessThan(0.5);
  });

  it("is none that one funder alone filed", () => {
    expect(finder(names)("bread for all").found.filter(({ match }) => match !== "typo")).toEqual([]);
  });

  it("finds words like a rare one, too, whatever name has it", () => {
    expect(finder(names)("kirchen").found.map(({ ein }) => ein)).toEqual([9, 8]);
    expect(finder(names)("kirchen").total).toBe(1);
  });
});

describe("a search for organizations", () => {
  it.each([
    ["flintrige", 2, "typo"],
    ["flintridge school", 1, "words"],
    ["flint ridge", 2, "words"],
    ["school flintridge prep", 1, "words"],
    ["saint mary school", 4, "exact"],
    ["st mary  school", 4, "exact"],
    ["st. mary's school", 3, "exact"],
    ["y.m.c.a. of greater new york", 5, "exact"],
    ["y.m.c.a. springfield il", 6, "words"],
    ["ymca springfield, massachusetts", 7, "words"],
    ["children's foodbank and pantry", 8, "exact"],
    ["childrens food-bank & pantry, inc.", 8, "exact"],
    ["universityof michigan", 11, "exact"],
    ["american legion post 77", 10, "words"],
    ["univ of michigan", 11, "exact"],
    ["unversity of michgan", 11, "typo"],
    ["societe generale jose", 12, "exact"],
    ["the company", 13, "exact"],
    ["national association of theater owners", 14, "exact"],
    ["havrard", 15, "typo"],
    ["harvard coll", 15, "exact"],
    ["harvard colle", 15, "prefix"],
    ["00-0000002", 2, "exact"],
    ["000000099", 99, "exact"],
    ["ein 00-0000002", 2, "exact"],
  ])("finds for %j the organization %i", (text, ein, match) => {
    expect(first(text)).toMatchObject({ ein, match });
  });

  it.each(["", "  ", "-", "xylophonists", "000000098", "&"])("finds nothing for %j", (text) => {
    expect(find(text)).toStrictEqual({ total: 0, found: [] });
  });

  it("forgives a typo in a word of a long name, also in a short list", async () => {
    const home = await buildIndex(listed.slice(0, 3));
    const names = openNames(home);
    expect(finder(names)("preparatry").found).toMatchObject([{ ein: 1, match: "typo" }]);
    names.columns.close();
    await rm(home, { recursive: true });
  });

  it("ranks equal names by their grants, and counts all of them", () => {
    expect(find("ymca", { limit: 1 })).toMatchObject({ total: 3, found: [{ ein: 7, match: "exact" }] });
    expect(find("ymca").found.map(({ ein }) => ein)).toStrictEqual([7, 6, 5]);
  });

  it("keeps to a state and to those that gave or received grants", () => {
    expect(find("ymca", { state: "IL" })).toMatchObject({ total: 1, found: [{ ein: 6 }] });
    expect(find("ymca", { role: "recipient" })).toMatchObject({ total: 1, found: [{ ein: 7 }] });
    expect(find("flintridge", { role: "funder" })).toMatchObject({ total: 1, found: [{ ein: 2 }] });
    expect(find("000000002", { role: "recipient" })).toMatchObject({ total: 0 });
    expect(find("ymca", { state: "WY" })).toMatchObject({ total: 0 });
  });

  it("ranks organizations of the place above others of the same name", () => {
    expect(find("american legion", { place: "Dallas" }).found[0]?.ein).toBe(10);
    expect(find("american legion").found[0]?.ein).toBe(9);
  });

  it("reads the sums of grants exactly", () => {
    const read = (ein: number) => opened.index.read(opened.index.findEin(ein));
    expect(read(7)).toMatchObject({ given: { records: 0, amount: 0n }, received: { records: 2 } });
    expect(read(7).received.amount).toBe(999_999_999_999_999_999n - 300n);
    expect(read(2).given).toStrictEqual({ records: 2, amount: 750n });
    expect(read(9).also).toBe("POST 12 JOHN DOE");
  });
});

const word = fc.constantFrom(
  "alpha",
  "beta",
  "beta",
  "bet",
  "gamma",
  "st",
  "saint",
  "univ",
  "inc",
  "the",
  "new",
  "york",
  "x",
  "y",
);
const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
const organization = fc.record({ name, city: fc.option(name), also: fc.option(name) });
const lists = fc
  .array(organization, { minLength: 1, maxLength: 12 })
  .map((all) => all.map((one, at): Listed => ({ ein: at + 1, ...one })));

/** True if an organization has each word in its name, its other name or its place, but not all in the place. */
function hasWords({ name, city, also }: Listed, text: string): boolean {
  const wanted = indexedWords(text);
  const last = nameWords(text).at(-1) ?? "";
  const named = [...indexedWords(name), ...(also == null ? [] : indexedWords(also))];
  const placed = placeWords(city ?? "", "");
  const isLast = (at: number) => wanted[at] === spellWord(last);
  const fits = (found: string, want: string, at: number) =>
    found === want ||
    (isLast(at) && (found.startsWith(last) || (found === "saint" && "street".startsWith(last))));
  const isIn = (words: readonly string[]) => (want: string, at: number) =>
    words.some((found) => fits(found, want, at));
  return wanted.every(isIn([...named, ...placed])) && wanted.some(isIn(named));
}

describe("any list of organizations", () => {
  it("finds every organization by its own name first, or one of equal name", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (all) => {
        const home = await buildIndex(all);
        const names = openNames(home);
        const ask = finder(names);
        for (const { ein, name } of all) {
          const best = ask(name).found[0];
          expect(best?.match).toBe("exact");
          expect(indexedWords(all[(best?.ein ?? 0) - 1]?.name ?? "")).toStrictEqual(indexedWords(name));
          expect(best?.ein).toBeLessThanOrEqual(ein);
        }
        names.columns.close();
        await rm(home, { recursive: true });
      }),
      { numRuns: 20 },
    );
  });

  it("finds the same as a comparison with every name, in any order of words", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.array(word, { minLength: 2, maxLength: 3 }), async (all, words) => {
        const home = await buildIndex(all);
        const names = openNames(home);
        const ask = finder(names);
        const text = words.join(" ");
        const expected = all.filter((one) => hasWords(one, text)).map(({ ein }) => ein);
        const { total, found } = ask(text);
        const matched = found.filter(({ match }) => match !== "typo").map(({ ein }) => ein);
        expect(matched.toSorted((a, b) => a - b)).toStrictEqual(expected);
        if (expected.length > 0) expect(total).toBe(expected.length);
        names.columns.close();
        await rm(home, { recursive: true });
      }),
      { numRuns: 40 },
    );
  });

  itWhole("has the same best ones whether it compares all or only those that may be among them", async () => {
    const random = seedRandom(4);
    const letters = [
      "a",
      "b",
      "ba",
      "bar",
      "barn",
      "cat",
      "c",
      "saint",
      "st",
      "st",
      "foundation",
      "fdn",
      "of",
      "in",
    ];
    const text = (most: number) =>
      Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random, letters)).join(" ");
    const all = Array.from({ length: 2000 }, (_, at): Listed => {
      const also = random() < 0.1 ? text(3) : null;
      return { ein: at + 1, name: text(5), city: text(1), state: pick(random, ["TX", "CA"]), also };
    });
    const home = await buildIndex(all);
    const names = openNames(home);
    const ask = finder(names);
    const state = () => (random() < 0.2 ? { state: "TX" } : {});
    for (let query = 0; query < 150; query++) {
      const [typed, filter] = [text(3), state()];
      const whole = ask(typed, { ...filter, limit: all.length });
      const limit = 1 + Math.floor(random() * 8);
      const best = ask(typed, { ...filter, limit });
      expect(best.total, typed).toBe(whole.total);
      expect(best.found, typed).toStrictEqual(whole.found.slice(0, limit));
    }
    names.columns.close();
    await rm(home, { recursive: true });
  });
});
