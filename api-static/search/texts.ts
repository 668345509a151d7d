// Owns the finding of the distinct texts that contain a pattern, by its plan, and how searches ask for those that were found.
import type { Dictionary } from "../release/layout.ts";
import { type Session, type Variables, variable } from "./sessions.ts";
import { costOf, type TextPlan } from "./textPlan.ts";

/**
 * What is known of a dictionary's texts once they are found: the records that have one of them, and what holds them. Few are
 * `listed`, so many in a variable of the connection; of many, a temporary table holds them or, where these are fewer, the others.
 */
export type FoundTexts =
  | { readonly records: number; readonly holds: "listed"; readonly texts: number }
  | { readonly records: number; readonly holds: "found" | "others" };

const noTexts: FoundTexts = { records: 0, holds: "listed", texts: 0 };

/** The variable of a dictionary's found texts, and the temporary table of them or the others (id, records). */
function nameOf({ texts }: Dictionary): string {
  return `found_${texts}`;
}

/** SQL: a row of a projection has one of the found texts. */
export function isFoundSql(dictionary: Dictionary, found: FoundTexts): string {
  const { column } = dictionary;
  const name = nameOf(dictionary);
  switch (found.holds) {
    case "listed":
      return isListed(column, name, found.texts);
    case "found":
      return `${column} IN (SELECT id FROM ${name})`;
    case "others":
      return `(${column} IS NOT NULL AND NOT EXISTS (SELECT id FROM ${name} WHERE id = ${column}))`;
  }
}

/** Values that stand in a condition one by one: DuckDB then skips row groups by each; more are joined. */
const listedMost = 64;

/** SQL: a column has one of so many values of a list. */
function isListed(column: string, list: string, values: number): string {
  if (values === 0) return "false";
  if (values > listedMost) return `${column} IN (SELECT unnest(${variable(list)}))`;
  return `${column} IN (${Array.from({ length: values }, (_, index) => `${variable(list)}[${index + 1}]`).join(", ")})`;
}

/** Occurrences of words up to which the texts are read and listed: more are kept where DuckDB finds them. */
const readMost = 1_000;

/** Finds the texts by a plan, and keeps them in the connection. */
export async function findTexts(
  session: Session,
  dictionary: Dictionary,
  plan: TextPlan,
  pattern: string,
): Promise<FoundTexts> {
  if (plan.way === "none") return noTexts;
  if (plan.way === "scan") return scanTexts(session, dictionary, pattern);
  const { sql, values } = lookUpWords(dictionary, plan, pattern);
  if (costOf(plan) <= readMost) return listTexts(session, dictionary, sql, values);
  return { records: await keepTexts(session, dictionary, sql, values), holds: "found" };
}

/**
 * Finds those of the texts that few rows have.
 * @param ids SQL of the rows' texts
 */
export function findTextsAmong(
  session: Session,
  dictionary: Dictionary,
  ids: string,
  pattern: string,
): Promise<FoundTexts> {
  const sql = `SELECT id, records FROM ${dictionary.texts} WHERE id IN (${ids}) AND contains(text, ${variable("pattern")})`;
  return listTexts(session, dictionary, sql, { pattern });
}

/** Looks at every text; keeps those that contain the pattern or, of a single character that stands in many, the others. */
async function scanTexts(session: Session, dictionary: Dictionary, pattern: string): Promise<FoundTexts> {
  const { texts } = dictionary;
  const holds = [...pattern].length === 1 ? "others" : "found";
  const isKept = `${holds === "others" ? "NOT " : ""}contains(text, ${variable("pattern")})`;
  const sql = `SELECT id, records FROM ${texts} WHERE ${isKept}`;
  const kept = await keepTexts(session, dictionary, sql, { pattern });
  if (holds === "found") return { records: kept, holds };
  const [all] = await session.readColumn(`SELECT sum(records)::DOUBLE FROM ${texts}`, {});
  return { records: Number(all) - kept, holds };
}

/** SQL of the texts by the postings of words, and where these are not exact also by the texts themselves. */
function lookUpWords(
  { texts, postings }: Dictionary,
  { words, next, isExact }: Extract<TextPlan, { way: "words" }>,
  pattern: string,
): { sql: string; values: Variables } {
  const isFollowed = next === undefined ? "" : `AND ${isListed("next", "next", next.length)}`;
  const found = `SELECT DISTINCT text AS id, records FROM ${postings} WHERE ${isListed("word", "words", words.length)} ${isFollowed}`;
  const values = { words, ...(next === undefined ? {} : { next }) };
  if (isExact) return { sql: found, values };
  const sql = `SELECT found.* FROM (${found}) AS found JOIN ${texts} USING (id) WHERE contains(${texts}.text, ${variable("pattern")})`;
  return { sql, values: { ...values, pattern } };
}

/** Reads the found texts and lists them. */
async function listTexts(
  session: Session,
  dictionary: Dictionary,
  sql: string,
  values: Variables,
): Promise<FoundTexts> {
  const [ids = [], records = []] = await session.readPlanned(sql, values);
  if (ids.length === 0) return noTexts;
  await session.set(nameOf(dictionary), ids.map(Number));
  return {
    records: records.reduce<number>((sum, of) => sum + Number(of), 0),
    holds: "listed",
    texts: ids.length,
  };
}

/** Fills the table of a dictionary's found texts, or the others; returns how many records have one of them. */
async function keepTexts(
  session: Session,
  dictionary: Dictionary,
  sql: string,
  values: Variables,
): Promise<number> {
  const table = nameOf(dictionary);
  await session.createTable(table, sql, values);
  const [records] = await session.readColumn(`SELECT sum(records)::DOUBLE FROM ${table}`, {});
  return Number(records ?? 0);
}
