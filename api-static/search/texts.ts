// Finds the distinct texts that contain a pattern, as planned, and formats the SQL condition for rows that have one of them.
import type { Dictionary } from "../release/layout.ts";
import { type Session, type Variables, variable } from "./sessions.ts";
import { costOf, type TextPlan } from "./textPlan.ts";

/**
 * The texts of a dictionary that were found: how many records have one of them, and what holds them. Few texts are `listed`
 * in a variable of the connection. Many are in a temporary table, or, if these are fewer, the texts that do not match are.
 */
export type FoundTexts =
  | { readonly records: number; readonly holds: "listed"; readonly texts: number }
  | { readonly records: number; readonly holds: "found" | "others" };

const noTexts: FoundTexts = { records: 0, holds: "listed", texts: 0 };

/** The name of the variable, or of the temporary table (id, records), that holds a dictionary's found texts. */
function nameOf({ texts }: Dictionary): string {
  return `found_${texts}`;
}

/** SQL condition: the row of a projection has one of the found texts. */
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

/** Values up to which a condition names each one, so that DuckDB skips row groups without them; more are joined. */
const maxNamed = 64;

/** SQL condition: a column has one of the values in a list variable of this length. */
function isListed(column: string, list: string, values: number): string {
  if (values === 0) return "false";
  if (values > maxNamed) return `${column} IN (SELECT unnest(${variable(list)}))`;
  return `${column} IN (${Array.from({ length: values }, (_, index) => `${variable(list)}[${index + 1}]`).join(", ")})`;
}

/** Postings up to which the found texts are read and listed; more stay in DuckDB. */
const maxListedPostings = 1_000;

/** Finds the texts that contain a pattern, as planned. The session holds them until its work ends. */
export async function findTexts(
  session: Session,
  dictionary: Dictionary,
  plan: TextPlan,
  pattern: string,
): Promise<FoundTexts> {
  if (plan.way === "none") return noTexts;
  if (plan.way === "texts") return checkTexts(session, dictionary, pattern);
  const { sql, values } = lookUpWords(dictionary, plan, pattern);
  if (costOf(plan) <= maxListedPostings) return listTexts(session, dictionary, sql, values);
  return { records: await keepTexts(session, dictionary, sql, values), holds: "found" };
}

/**
 * Finds the texts that contain a pattern among the texts of a few rows.
 * @param ids SQL for the ids of the rows' texts
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

/** Checks every text. Keeps those that contain the pattern; for a single character, which most texts contain, the others. */
async function checkTexts(session: Session, dictionary: Dictionary, pattern: string): Promise<FoundTexts> {
  const { texts } = dictionary;
  const holds = [...pattern].length === 1 ? "others" : "found";
  const isKept = `${holds === "others" ? "NOT " : ""}contains(text, ${variable("pattern")})`;
  const sql = `SELECT id, records FROM ${texts} WHERE ${isKept}`;
  const kept = await keepTexts(session, dictionary, sql, { pattern });
  if (holds === "found") return { records: kept, holds };
  const [all] = await session.readColumn(`SELECT sum(records)::DOUBLE FROM ${texts}`, {});
  return { records: Number(all) - kept, holds };
}

/** SQL for the texts that the postings of words name; unless that is exact, they are checked for the pattern. */
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

/** Reads the found texts, and lists them in a variable. */
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

/** Keeps texts in the dictionary's temporary table; returns how many records have one of them. */
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
