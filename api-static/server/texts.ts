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

/** The temporary table of a dictionary's found texts (id, records), one per connection. */
export function foundTable({ texts }: Dictionary): string {
  return `found_${texts}`;
}

/** A list of ids in a parameter of text, which is bound faster than a list. */
const listed = (parameter: string) => `SELECT unnest(string_split(${parameter}, ',')::UINTEGER[])`;

/** SQL that finds the texts by a plan; the values are bound. */
export function formatTextPlan(
  { texts, postings }: Dictionary,
  plan: Exclude<TextPlan, { way: "none" }>,
  pattern: string,
): { sql: string; values: Record<string, DuckDBValue> } {
  if (plan.way === "scan")
    return { sql: `SELECT id, records FROM ${texts} WHERE contains(text, $pattern)`, values: { pattern } };
  const isFollowed = plan.next === undefined ? "" : `AND next IN (${listed("$next")})`;
  const isChecked = plan.isExact ? "" : `WHERE contains(${texts}.text, $pattern)`;
  return {
    sql: `SELECT id, records FROM (
      SELECT DISTINCT text AS id FROM ${postings} WHERE word IN (${listed("$words")}) ${isFollowed}
    ) JOIN ${texts} USING (id) ${isChecked}`,
    values: {
      words: plan.words.join(","),
      ...(plan.next === undefined ? {} : { next: plan.next.join(",") }),
      ...(plan.isExact ? {} : { pattern }),
    },
  };
}

/** Fills the table of a dictionary's found texts; returns how many records have one of them. */
export async function findTexts(
  session: Session,
  dictionary: Dictionary,
  plan: TextPlan,
  pattern: string,
): Promise<number> {
  if (plan.way === "none") return 0;
  const { sql, values } = formatTextPlan(dictionary, plan, pattern);
  const table = foundTable(dictionary);
  await session.readColumn(`CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`, values);
  const [records] = await session.readColumn(`SELECT sum(records)::DOUBLE FROM ${table}`, {});
  return Number(records ?? 0);
}
