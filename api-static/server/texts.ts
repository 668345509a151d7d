// Owns the finding of the distinct texts that contain a pattern: by the words it is made of, or by a look at every text.
import type { DuckDBValue } from "@duckdb/node-api";
import type { Dictionary } from "../layout.ts";
import type { Session } from "./sessions.ts";
import type { FoundWords, Place, Words } from "./words.ts";

/**
 * How the texts with a pattern are found. `words`: those that hold one of the first words, followed by one of the next ones
 * where some are given, and then, unless that is exact, contain the pattern.
 */
export type TextPlan =
  | { readonly way: "none" }
  | { readonly way: "scan" }
  | {
      readonly way: "words";
      readonly words: readonly number[];
      readonly next: readonly number[] | undefined;
      readonly isExact: boolean;
    };

/** Share of a dictionary's texts up to which postings are read faster than the texts themselves. */
const postingsShare = 0.5;

/**
 * The way to the texts that contain a pattern. A pattern without a space stands in a text exactly when it stands in one of
 * its words. Of one with spaces, the first piece ends a word, the last begins one, those between are whole words.
 * @param texts of the dictionary
 */
export function planTexts(words: Words, texts: number, pattern: string): TextPlan {
  const most = Math.max(1_000, texts * postingsShare);
  const pieces = pattern.split(" ");
  if (pieces.length === 1) {
    const found = words.find(pattern, "anywhere", most);
    if (found === undefined) return { way: "scan" };
    return wordsPlan(found, undefined, true);
  }
  const found = pieces.map((piece, index) => words.find(piece, placeOf(index, pieces.length), most));
  if (found.some((one) => one?.ids.length === 0)) return { way: "none" };
  let best: { first: FoundWords; next: FoundWords | undefined } | undefined;
  for (const [index, first] of found.entries()) {
    const isLast = index === found.length - 1;
    if (first === undefined || isLast) continue;
    if (best === undefined || first.postings < best.first.postings) best = { first, next: found[index + 1] };
  }
  if (best === undefined) return { way: "scan" };
  return wordsPlan(best.first, best.next?.ids, pieces.length === 2 && best.next !== undefined);
}

function placeOf(index: number, pieces: number): Place {
  if (index === 0) return "at the end";
  return index === pieces - 1 ? "at the begin" : "as a whole";
}

function wordsPlan({ ids }: FoundWords, next: readonly number[] | undefined, isExact: boolean): TextPlan {
  return ids.length === 0 ? { way: "none" } : { way: "words", words: ids, next, isExact };
}

/**
 * What is known of a dictionary's texts once they are found: the records that have one of them, and whether the temporary
 * table holds these texts or, where these are many, the others.
 */
export type FoundTexts = { readonly records: number; readonly holds: "found" | "others" };

/** The temporary table of a dictionary's found texts, or the others (id, records); one per connection. */
export function foundTable({ texts }: Dictionary): string {
  return `found_${texts}`;
}

/** SQL: a row of a projection has one of the found texts. */
export function isFoundSql(dictionary: Dictionary, holds: FoundTexts["holds"]): string {
  const isHeld = `SELECT id FROM ${foundTable(dictionary)}`;
  if (holds === "found") return `${dictionary.column} IN (${isHeld})`;
  return `(${dictionary.column} IS NOT NULL AND NOT EXISTS (${isHeld} WHERE id = ${dictionary.column}))`;
}

/** A list of ids in a parameter of text, which is bound faster than a list. */
const listed = (parameter: string) => `SELECT unnest(string_split(${parameter}, ',')::UINTEGER[])`;

/** Finds the texts by a plan and keeps them in the connection's table. */
export async function findTexts(
  session: Session,
  dictionary: Dictionary,
  plan: TextPlan,
  pattern: string,
): Promise<FoundTexts> {
  switch (plan.way) {
    case "none":
      return { records: 0, holds: "found" };
    case "scan":
      return scanTexts(session, dictionary, pattern);
    case "words":
      return { records: await lookUpWords(session, dictionary, plan, pattern), holds: "found" };
  }
}

/** Looks at every text; keeps those that contain the pattern or, of a single character that stands in many, the others. */
async function scanTexts(session: Session, dictionary: Dictionary, pattern: string): Promise<FoundTexts> {
  const { texts } = dictionary;
  const holds = [...pattern].length === 1 ? "others" : "found";
  const isKept = `${holds === "others" ? "NOT " : ""}contains(text, $pattern)`;
  const sql = `SELECT id, records FROM ${texts} WHERE ${isKept}`;
  const kept = await keepTexts(session, dictionary, sql, { pattern });
  if (holds === "found") return { records: kept, holds };
  const [all] = await session.readColumn(`SELECT sum(records)::DOUBLE FROM ${texts}`, {});
  return { records: Number(all) - kept, holds };
}

/** Looks up the postings of words, and where these are not exact also at the texts themselves. */
function lookUpWords(
  session: Session,
  dictionary: Dictionary,
  { words, next, isExact }: Extract<TextPlan, { way: "words" }>,
  pattern: string,
): Promise<number> {
  const { texts, postings } = dictionary;
  const isFollowed = next === undefined ? "" : `AND next IN (${listed("$next")})`;
  const found = `SELECT DISTINCT text AS id, records FROM ${postings} WHERE word IN (${listed("$words")}) ${isFollowed}`;
  const sql = isExact
    ? found
    : `SELECT found.* FROM (${found}) AS found JOIN ${texts} USING (id) WHERE contains(${texts}.text, $pattern)`;
  const values = {
    words: words.join(","),
    ...(next === undefined ? {} : { next: next.join(",") }),
    ...(isExact ? {} : { pattern }),
  };
  return keepTexts(session, dictionary, sql, values);
}

/** Fills the table of a dictionary's found texts; returns how many records have one of them. */
async function keepTexts(
  session: Session,
  dictionary: Dictionary,
  sql: string,
  values: Record<string, DuckDBValue>,
): Promise<number> {
  const table = foundTable(dictionary);
  await session.readColumn(`CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`, values);
  const [records] = await session.readColumn(`SELECT sum(records)::DOUBLE FROM ${table}`, {});
  return Number(records ?? 0);
}
