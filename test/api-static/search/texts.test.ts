// Tests that the texts found by words are exactly those that contain the pattern, for any texts and pattern.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalText } from "../../../api-static/contract/text.ts";
import { dictionaries, parts } from "../../../api-static/release/layout.ts";
import { type Session, Sessions } from "../../../api-static/search/sessions.ts";
import { costOf, planTexts } from "../../../api-static/search/textPlan.ts";
import { type FoundTexts, findTexts, findTextsAmong, isFoundSql } from "../../../api-static/search/texts.ts";
import { Words } from "../../../api-static/search/words.ts";
import { writeIndex } from "../../../pipeline/build/projections.ts";
import { openDatabase } from "../../../pipeline/database.ts";
import { proofs } from "../../proofs.ts";

const dictionary = dictionaries.purpose;
/** A small alphabet makes many words that share pieces, repeat and follow each other. */
const letter = fc.constantFrom(..."aab bc  é\u0301\n%_", "\u00A0");
const generated = fc
  .sample(fc.string({ unit: letter, minLength: 1, maxLength: 14 }), { numRuns: 9_000, seed: 5 })
  .map((text) => text.trim())
  .filter((text) => text !== "");
const texts = [
  ...new Set(
    ["general support", "in support of general  operations", "x b ab b c a bb a c", ...generated].map(
      canonicalText,
    ),
  ),
];

let folder = "";
let sessions: Sessions;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "texts-"));
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 2, spillFolder: "" });
  await connection.run(
    `CREATE TABLE grants AS
    SELECT (row_number() OVER () - 1) AS id, 1::UINTEGER AS funder_ein, 2020::USMALLINT AS transaction_year,
      NULL::VARCHAR AS recipient_name, NULL::UINTEGER AS recipient_ein, 1::DECIMAL(18,2) AS amount,
      NULL::DECIMAL(18,2) AS non_cash_amount, text AS purpose
    FROM (SELECT unnest(from_json($texts, '["VARCHAR"]')) AS text)`,
    { texts: JSON.stringify(texts) },
  );
  await writeIndex(connection, folder, () => undefined);
  connection.closeSync();
  instance.closeSync();
  sessions = await Sessions.open(join(folder, parts.index));
});
afterAll(async () => {
  sessions?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The texts that contain a pattern, sorted, and how they were found. */
async function find(session: Session, words: Words, pattern: string, known = texts.length) {
  const plan = await planTexts(words, known, pattern);
  const found = await findTexts(session, dictionary, plan, pattern);
  const way = plan.way === "none" ? plan.way : `${plan.way}, ${found.holds}`;
  return { way, records: found.records, found: await readTexts(session, found) };
}

async function readTexts(session: Session, found: FoundTexts): Promise<string[]> {
  const sql = `SELECT text FROM (SELECT text, id AS ${dictionary.column} FROM ${dictionary.texts})
    WHERE ${isFoundSql(dictionary, found)}`;
  const [read = []] = await session.readPlanned(sql, {});
  return read.map(String).sort();
}

describe("findTexts", () => {
  it("finds exactly the texts that contain a pattern", async () => {
    await sessions.use(async (session) => {
      const words = await Words.read(session, dictionary);
      const ways = new Map<string, number>();
      const pattern = fc
        .oneof(fc.string({ unit: letter, minLength: 1, maxLength: 7 }), fc.constantFrom(...texts))
        .map(canonicalText)
        .filter((text) => text !== "");
      await fc.assert(
        fc.asyncProperty(pattern, fc.constantFrom(0, texts.length, 1e9), async (text, known) => {
          const { way, records, found } = await find(session, words, text, known);
          ways.set(way, (ways.get(way) ?? 0) + 1);
          expect(found).toStrictEqual(texts.filter((one) => one.includes(text)).sort());
          expect(records).toBe(found.length);
        }),
        { numRuns: proofs.anyTexts },
      );
      expect([...ways.keys()].sort()).toStrictEqual([
        "none",
        "texts, found",
        "texts, others",
        "words, found",
        "words, listed",
      ]); // otherwise the property shows too little
    });
  });

  it.each([
    ["support", "words, listed", 2],
    ["al supp", "words, listed", 1],
    ["support of gen", "words, listed", 1],
    ["general  op", "words, listed", 1],
    ["general op", "words, listed", 0],
    ["rt gen", "words, listed", 0],
    ["zzz", "none", 0],
  ])("finds %j by the plan %s", async (pattern, way, count) => {
    await sessions.use(async (session) => {
      const words = await Words.read(session, dictionary);
      const result = await find(session, words, pattern);
      expect([result.way, result.found.length]).toStrictEqual([way, count]);
    });
  });
});

describe("findTextsAmong", () => {
  it("finds the texts that contain a pattern among the texts of rows", async () => {
    await sessions.use(async (session) => {
      const rows = texts.filter((_, index) => index % 40 === 0);
      const ids = `SELECT id FROM ${dictionary.texts} WHERE list_contains(string_split(getvariable('rows'), '|'), text)`;
      await session.set("rows", rows.join("|"));
      for (const pattern of ["a", "b c", "support", "zzz"]) {
        const found = await findTextsAmong(session, dictionary, ids, pattern);
        const expected = rows.filter((text) => text.includes(pattern)).sort();
        expect(found.records).toBe(expected.length);
        expect(await readTexts(session, found)).toStrictEqual(expected);
      }
    });
  });
});

/** A single letter on each side of 198 spaces, every letter of the alphabet, and other patterns of the longest kind. */
const longPatterns = fc.oneof(
  fc.constantFrom(
    `a${" ".repeat(198)}b`,
    [..."abcdefghijklmnopqrstuvwxyz"].join(" "),
    Array.from({ length: 100 }, (_, index) => String.fromCharCode(0x4e00 + index)).join(" "),
  ),
  fc.string({ unit: fc.constantFrom(..."abcdefgh    "), minLength: 100, maxLength: 200 }).map(canonicalText),
);

describe("planTexts", () => {
  it("looks up at most four pieces, each once, however many a pattern has", async () => {
    await fc.assert(
      fc.asyncProperty(longPatterns, fc.boolean(), async (pattern, isFrequent) => {
        const lookups: string[] = [];
        const find = async (piece: string, place: string) => {
          lookups.push(`${place}: ${piece}`);
          return isFrequent ? undefined : { ids: [1], postings: 1 };
        };
        const plan = await planTexts({ find }, 1_000, pattern);
        expect(lookups.length).toBeLessThanOrEqual(4);
        expect(new Set(lookups).size).toBe(lookups.length);
        expect(plan.way).toBe(isFrequent ? "texts" : "words");
      }),
    );
  });

  it("finds the right texts for a pattern of which most pieces are not looked up", async () => {
    await sessions.use(async (session) => {
      const words = await Words.read(session, dictionary);
      const pattern = "b ab b c a bb a";
      for (const [part, count] of [
        [pattern, 1],
        [`${pattern}a`, 0],
        [`a${pattern}`, 0],
      ] as const)
        expect((await find(session, words, part)).found.length, part).toBe(count);
    });
  });
});

describe("costOf", () => {
  it("puts absent words first, rare words before frequent ones, and checking every text last", () => {
    const words = (postings: number) =>
      ({ way: "words", words: [1], next: undefined, isExact: true, postings }) as const;
    const plans = [{ way: "none" } as const, words(3), words(4_000_000_000), { way: "texts" } as const];
    expect(plans.toSorted((one, other) => costOf(one) - costOf(other))).toStrictEqual(plans);
  });
});

describe("a dictionary without texts", () => {
  it("finds nothing", async () => {
    await sessions.use(async (session) => {
      const words = await Words.read(session, dictionaries.recipientName);
      for (const pattern of ["a", "a b", "a  b"])
        expect(await planTexts(words, 0, pattern)).toStrictEqual({ way: "none" });
    });
  });
});
