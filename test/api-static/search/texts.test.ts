// Tests that the texts found by words or letters are exactly those that contain the pattern, for any texts and pattern.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import { Column, Columns } from "../../../api-static/release/columns.ts";
import { dictionaries, parts } from "../../../api-static/release/layout.ts";
import { visitRuns } from "../../../api-static/search/bits.ts";
import { Texts } from "../../../api-static/search/texts.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { buildIndex } from "../../pipeline/parts/index/index.fixture.ts";
import { proofs } from "../../proofs.ts";

/** A small alphabet makes many words that share pieces, repeat and follow each other. */
const letter = fc.constantFrom(..."aab bc  é\u0301\n%_", "\u00A0");
const generated = fc
  .sample(fc.string({ unit: letter, minLength: 1, maxLength: 14 }), { numRuns: 9_000, seed: 5 })
  .map((text) => text.trim())
  .filter((text) => text !== "");
/** Many texts with the start of a phrase, many with its end, and many with the same word twice. */
const parted = Array.from({ length: 300 }, (_, index) => [
  `jj qq ${index}`,
  `${index} qq ww`,
  `kk kk ${index}`,
]).flat();
const handmade = ["general support", "in support of general  operations", "x b ab b c a bb a c", "jj qq ww"];
const short = [...new Set([...handmade, ...parted, ...generated].map(canonicalText))];
/** Words of up to 120,000 letters: no piece of them repeats, nearly every one does, or they have letters of several bytes. */
const blobs = [
  fc
    .sample(fc.string({ unit: fc.constantFrom(..."0123456789+/="), minLength: 90_000, maxLength: 120_000 }), {
      numRuns: 1,
      seed: 1,
    })
    .join(""),
  ...fc.sample(fc.string({ unit: fc.constantFrom(..."01"), minLength: 190, maxLength: 420 }), {
    numRuns: 40,
    seed: 2,
  }),
  ...[
    "=".repeat(3_000),
    `${"=".repeat(2_999)}+`,
    "0é+".repeat(700),
    `${"𝟘é".repeat(201)} ${"+é".repeat(300)}`,
  ],
];
const texts = [...short, ...blobs.map(canonicalText)];

let folder = "";
let columns: Columns;
/** The texts by their ids. */
let byId: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "texts-"));
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 2, spillFolder: "" });
  await connection.run(
    `CREATE TABLE grants AS
    SELECT (row_number() OVER () - 1) AS id, 1::UINTEGER AS funder_ein, 2020::USMALLINT AS transaction_year,
      NULL::VARCHAR AS recipient_name, NULL::UINTEGER AS recipient_ein, 1::DECIMAL(18,2) AS amount,
      NULL::DECIMAL(18,2) AS non_cash_amount, NULL::VARCHAR AS type, text AS purpose
    FROM (SELECT unnest(from_json($texts, '["VARCHAR"]')) AS text)`,
    { texts: JSON.stringify(texts) },
  );
  await buildIndex(connection, folder);
  await connection.run(`ATTACH '${join(folder, parts.index)}' AS index (READ_ONLY)`);
  const read = await connection.runAndReadAll(
    `SELECT text FROM index.${dictionaries.purpose.texts} ORDER BY id`,
  );
  byId = read.getRows().map(([text]) => String(text));
  connection.closeSync();
  instance.closeSync();
  columns = Columns.open(join(folder, parts.columns));
});
afterAll(async () => {
  columns?.close();
  await rm(folder, { recursive: true, force: true });
});

const unlimited = () => undefined;

/** The texts that contain a pattern, sorted, and how they were found. */
function find(pattern: string) {
  const { bits, texts, records, way } = new Texts(columns, "purpose").find(pattern, unlimited);
  const found: string[] = [];
  visitRuns(bits, (from, to) => found.push(...byId.slice(from, to)));
  expect(texts).toBe(found.length);
  return { way, records, found: found.sort() };
}

describe("Texts.find", () => {
  it("finds exactly the texts that contain a pattern", async () => {
    const ways = new Set<string>();
    const pattern = fc
      .oneof(fc.string({ unit: letter, minLength: 1, maxLength: 7 }), fc.constantFrom(...short))
      .map(canonicalText)
      .filter((text) => text !== "");
    fc.assert(
      fc.property(pattern, (text) => {
        const { way, records, found } = find(text);
        ways.add(way);
        expect(found).toStrictEqual(texts.filter((one) => one.includes(text)).sort());
        expect(records).toBe(found.length);
      }),
      { numRuns: proofs.anyTexts, examples: [["zzz"], ["x"], ["support"], ["general  op"]] }, // each way at least once
    );
    expect([...ways].sort()).toStrictEqual(["letters", "none", "words", "words and spelling"]);
  });

  it("finds every piece of a long word that a request can have", () => {
    const pattern = fc
      .tuple(
        fc.constantFrom(...blobs),
        fc.nat(),
        fc.integer({ min: 2, max: 200 }),
        fc.constantFrom("", "", "+"),
      )
      .map(
        ([blob, at, length, other]) =>
          [...blob.slice((at % blob.length) & ~1)].slice(0, length - 1).join("") + other,
      )
      .filter((text) => text.isWellFormed()) // a request has no half of a letter
      .map(canonicalText);
    fc.assert(
      fc.property(pattern, (text) => {
        expect(find(text).found).toStrictEqual(texts.filter((one) => one.includes(text)).sort());
      }),
      {
        numRuns: proofs.anyTexts,
        examples: [["=".repeat(200)], [`${"=".repeat(199)}+`], [`${"𝟘é".repeat(50)} +é`]],
      },
    );
  });

  it.each([
    ["support", "words", 2],
    ["al supp", "words", 1],
    ["support of gen", "words and spelling", 1],
    ["general  op", "words and spelling", 1],
    ["general op", "words", 0],
    ["rt gen", "words", 0],
    ["zzz", "none", 0],
    ["x", "letters", 1],
    ["z", "letters", 0],
    ["b ab b c a bb a", "words and spelling", 1],
    ["b ab b c a bb aa", "words and spelling", 0],
    ["ab ab b c a bb a", "words and spelling", 0],
  ])("finds %j by %s", (pattern, way, count) => {
    const result = find(pattern);
    expect([result.way, result.found.length]).toStrictEqual([way, count]);
  });

  it("checks the spelling of those texts only that have every two neighbors of the pattern", () => {
    const read = vi.spyOn(Column.prototype, "seek");
    try {
      expect(find("jj qq ww").found).toStrictEqual(["jj qq ww"]);
      expect(read.mock.calls.filter(([, stop]) => stop !== undefined)).toHaveLength(1); // the words of one text
    } finally {
      read.mockRestore();
    }
  });

  it("reads postings a second time at most, if that halves the number of texts to check", () => {
    const postings = columns.placeOf("purpose.word.text").length;
    const read = vi.spyOn(Column.prototype, "seek");
    try {
      expect(find(Array.from({ length: 60 }, () => "kk").join(" ")).found).toStrictEqual([]);
      const reads = read.mock.calls.filter(
        ([, stop], at) => stop === undefined && (read.mock.contexts[at] as Column).length === postings,
      );
      expect(reads).toHaveLength(2 * 2); // of texts, and of the words that follow
    } finally {
      read.mockRestore();
    }
  });

  it.each([
    ["a single letter on each side of 198 spaces", `a${" ".repeat(198)}b`],
    ["every letter of the alphabet", [..."abcdefghijklmnopqrstuvwxyz"].join(" ")],
    ["a hundred words", Array.from({ length: 100 }, () => "b").join(" ")],
  ])("finds nothing for %s", (_, pattern) => {
    expect(find(pattern).found).toStrictEqual([]);
  });

  it("finds the texts of one pattern after the other", () => {
    const dictionary = new Texts(columns, "purpose");
    for (const pattern of ["a", "zzz", "b c", "b", "support of gen", "zzz", "x"])
      expect(dictionary.find(pattern, unlimited)).toStrictEqual(
        new Texts(columns, "purpose").find(pattern, unlimited),
      );
  });

  it("gives the same texts from columns that are held in memory", async () => {
    const held = Columns.open(join(folder, parts.columns));
    await held.hold(Object.keys(held.header.columns), 2 ** 30);
    for (const pattern of ["a", "b", "b c", "support of gen", "é"]) {
      const fromDisk = new Texts(columns, "purpose").find(pattern, unlimited);
      expect(new Texts(held, "purpose").find(pattern, unlimited)).toStrictEqual(fromDisk);
    }
    held.close();
  });

  it("ends at a checkpoint", () => {
    const stop = () => {
      throw new Error("given up");
    };
    for (const pattern of ["a", "b c", "support of gen"])
      expect(() => new Texts(columns, "purpose").find(pattern, stop)).toThrow("given up");
  });
});

describe("a dictionary without texts", () => {
  it("finds nothing", () => {
    const names = new Texts(columns, "recipientName");
    for (const pattern of ["a", "é", "a b", "a  b"]) expect(names.find(pattern, unlimited).records).toBe(0);
  });
});
