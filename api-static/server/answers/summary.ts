// Summarizes all grants by a funder, or to a recipient, from the index.
import type { DuckDBValue } from "@duckdb/node-api";
import { lineEnd } from "../../contract/answers/envelope.ts";
import { type MatchRule, matchRuleNames } from "../../contract/answers/matchRules.ts";
import type { GrantRecord } from "../../contract/answers/record.ts";
import { formatEin } from "../../contract/ein.ts";
import type { TopicRequest } from "../../contract/operations/topics.ts";
import { emptySum, formatSizes, type Sum, sizeBounds, stringify } from "../../contract/text/amount.ts";
import { type MarkName, marks } from "../../release/attributes.ts";
import { findFunderRow } from "../../release/layout.ts";
import type { AdmitSearch } from "../../search/answer.ts";
import { keySql, type ReadRows, type Rows } from "../../search/indexDatabase.ts";
import type { Release } from "../../search/release.ts";
import { formatHabits, habitsSql, newRecipientsSql, readPayout } from "./habits.ts";

/** Counterparts that a summary lists. */
const maxTop = 10;

type Row = Rows[number];

/**
 * The body of a summary; undefined if the release has no grant by the funder, or to the recipient, not even a likely one.
 * @param admit called before the index is searched, but not if the funder table shows that a funder has no grants
 */
export async function summarize(
  release: Release,
  { of, ein }: TopicRequest,
  admit?: AdmitSearch,
): Promise<Buffer | undefined> {
  if (of === "funder" && findFunderRow(release.funders, Number(ein)) === undefined) return undefined;
  const groups = await release.search.query(ein, (read) => readGroups(read, of), admit?.());
  if (groups === undefined) return undefined;
  const nameAt = (position: DuckDBValue | undefined) => readName(release, position);
  const { top = [], received = [], repeated = [], newRecipients = [], named = [], likely } = groups;
  const [largest = null, ...aggregates] = groups.once?.[0]?.slice(2 * markNames.length) ?? [];
  const totals = {
    ...formatTotals(groups),
    largest_grant: largest === null ? null : readRecord(release, largest),
  };
  const counterparts = Number(groups.counterparts?.[0]?.[0]);
  const data =
    of === "funder"
      ? {
          funder_ein: ein,
          ...totals,
          recipients: counterparts,
          top_recipients: top.map((row) => ({
            recipient_ein: row[0] === null ? null : formatEin(Number(row[0])),
            recipient_name: nameAt(row[3]),
            ...formatSum(row),
          })),
          received: formatSum(received[0] ?? [ein, 0, "0"]),
          repeated: formatRepeated(repeated),
          habits: formatHabits(aggregates, newRecipients, readPayout(release, ein)),
        }
      : {
          recipient_ein: ein,
          recipient_name: nameAt(named[0]?.[0]),
          ...totals,
          funders: counterparts,
          top_funders: top.map((row) => ({
            funder_ein: formatEin(Number(row[0])),
            ...formatSum(row),
          })),
          filed: {
            records: totals.records,
            amount: totals.amount,
            funders: counterparts,
            years: totals.years,
          },
          matched: addUpMatched(likely),
        };
  return Buffer.from(`${stringify({ success: true, data })}\n`);
}

/** The rows of each statement; undefined if there are no grants, which the first ones show. */
async function readGroups(read: ReadRows, of: TopicRequest["of"]): Promise<Groups | undefined> {
  const groups: Partial<Record<keyof Groups, Rows>> = {};
  for (const [name, sql] of Object.entries(statements[of])) {
    const rows = await read(sql);
    groups[name as keyof Groups] = rows;
    if (name === "years" && rows.length === 0 && addUpMatched(groups.likely).records === 0) return undefined;
  }
  return groups;
}

const sumSql = "count(*)::DOUBLE AS records, sum(amount_cents)::VARCHAR AS cents";

const yearsSql = (matches: string) => `
SELECT transaction_year, ${sumSql} FROM ${matches} GROUP BY transaction_year ORDER BY transaction_year DESC`;

/**
 * The number and the sum of the grants with each mark, and the position of the largest grant: the first of several; totals over people
 * come after all others. @param others further aggregates
 */
const onceSql = (matches: string, others: string) => `
SELECT ${Object.values(marks)
  .map(
    ({ sql, cents }) =>
      `count(*) FILTER (${sql})::DOUBLE, coalesce(sum(${cents}) FILTER (${sql}), 0)::VARCHAR`,
  )
  .join(", ")}, first(position ORDER BY is_individuals, amount_cents DESC, rowid) ${others}
FROM ${matches}`;

/** A size band is identified by the number of bounds that are at most the amount. Totals over people are in none. */
export const sizesSql = (matches: string) => `
SELECT ${sizeBounds.map((bound) => `(amount_cents >= ${bound})::INTEGER`).join(" + ")} AS size, ${sumSql}
FROM ${matches} AND NOT is_individuals GROUP BY size`;

/** The number of a funder's recipients, grouped as below. Counting the groups there would double the time of that query. */
const recipientsSql = `
SELECT (count(DISTINCT recipient_ein) + count(DISTINCT recipient_name) FILTER (recipient_ein IS NULL))::DOUBLE
FROM by_funder WHERE funder_ein = ${keySql}`;

/**
 * The largest recipients of a funder, by EIN, or by canonical name if there is no EIN; and the newest record with the name
 * that most of their records have. If sums are equal, the recipient with the newer record comes first: positions are in
 * result order.
 */
const topRecipientsSql = `
WITH names AS (
  SELECT recipient_ein, recipient_name, count(*) AS records, sum(amount_cents) AS cents, min(position) AS newest
  FROM by_funder
  WHERE funder_ein = ${keySql} AND (recipient_ein IS NOT NULL OR recipient_name IS NOT NULL)
  GROUP BY recipient_ein, recipient_name
)
SELECT recipient_ein, sum(records)::DOUBLE, sum(cents)::VARCHAR,
  first(newest ORDER BY records DESC, newest) FILTER (recipient_name IS NOT NULL)
FROM names
GROUP BY recipient_ein, CASE WHEN recipient_ein IS NULL THEN recipient_name END
ORDER BY sum(cents) DESC, min(newest)
LIMIT ${maxTop}`;

const topFundersSql = `
SELECT funder_ein, ${sumSql} FROM by_recipient WHERE recipient_ein = ${keySql}
GROUP BY funder_ein ORDER BY sum(amount_cents) DESC, funder_ein LIMIT ${maxTop}`;

const fundersSql = `
SELECT count(DISTINCT funder_ein)::DOUBLE FROM by_recipient WHERE recipient_ein = ${keySql}`;

/** The grants to the funder's own EIN. */
const receivedSql = `
SELECT recipient_ein, ${sumSql} FROM by_recipient WHERE recipient_ein = ${keySql} GROUP BY recipient_ein`;

/** The funder's repeated grants by year. The table's rows are in order. */
const repeatedSql = `
SELECT transaction_year, records::DOUBLE, (amount * 100)::HUGEINT::VARCHAR, filings::DOUBLE
FROM repeated WHERE funder_ein = ${keySql}`;

/** The newest record with the name that most grants to the recipient have. The rows are in result order. */
const recipientNameSql = `
SELECT arg_min(position, rowid) FROM by_recipient WHERE recipient_ein = ${keySql} AND recipient_name IS NOT NULL
GROUP BY recipient_name ORDER BY count(*) DESC, min(rowid) LIMIT 1`;

/** Rows of each year, of each rule, and of all: year and rule, or null; number of grants, sum of cents, number of funders. */
const matchedSql = `
SELECT transaction_year, rule, count(*)::DOUBLE, coalesce(sum(amount_cents), 0)::VARCHAR, count(DISTINCT funder_ein)::DOUBLE
FROM by_match WHERE matched_ein = ${keySql}
GROUP BY GROUPING SETS ((transaction_year), (rule), ()) ORDER BY transaction_year DESC`;

const [ofFunder, ofRecipient] = ["funder", "recipient"].map(
  (side) => `by_${side} WHERE ${side}_ein = ${keySql}`,
) as [string, string];

/** What is read of the grants of a funder, or to a recipient, in this order. */
const statements = {
  funder: {
    years: yearsSql(ofFunder),
    sizes: sizesSql(ofFunder),
    once: onceSql(ofFunder, `, ${habitsSql}`),
    counterparts: recipientsSql,
    top: topRecipientsSql,
    received: receivedSql,
    repeated: repeatedSql,
    newRecipients: newRecipientsSql,
  },
  recipient: {
    likely: matchedSql,
    years: yearsSql(ofRecipient),
    sizes: sizesSql(ofRecipient),
    once: onceSql(ofRecipient, ""),
    counterparts: fundersSql,
    top: topFundersSql,
    named: recipientNameSql,
  },
} as const;

type Groups = Partial<Record<keyof typeof statements.funder | keyof typeof statements.recipient, Rows>>;

function formatTotals({ years = [], sizes = [], once: [once = []] = [] }: Groups) {
  const { records, amount } = addUp(years);
  const { non_cash, ...others } = formatMarks(once);
  return {
    records,
    amount,
    first_year: years.at(-1)?.[0] ?? null,
    last_year: years[0]?.[0] ?? null,
    non_cash: { ...non_cash, share: Math.round((non_cash.records / Math.max(records, 1)) * 10_000) / 10_000 },
    ...others,
    years: years.map((row) => ({ transaction_year: Number(row[0]), ...formatSum(row) })),
    sizes: formatSizeRows(sizes),
  };
}

const markNames = Object.keys(marks) as MarkName[];

function formatMarks(row: readonly DuckDBValue[]): Record<MarkName, Sum> {
  const sums = markNames.map((name, index) => [name, formatSum([null, ...row.slice(2 * index)])]);
  return Object.fromEntries(sums) as Record<MarkName, Sum>;
}

/** All size bands, from the rows of those that have grants. */
export function formatSizeRows(rows: Rows) {
  const sums: Sum[] = [];
  for (const row of rows) sums[Number(row[0])] = formatSum(row);
  return formatSizes(sums);
}

function formatRepeated(years: Rows) {
  return {
    ...addUp(years),
    years: years.map((row) => ({
      transaction_year: Number(row[0]),
      ...formatSum(row),
      filings: Number(row[3]),
    })),
  };
}

/** The sum of all rows. */
export function addUp(rows: Rows): Sum {
  return {
    records: sum(rows.map(([, records]) => Number(records))),
    amount: rows.reduce((total, [, , cents]) => total + BigInt(String(cents)), 0n),
  };
}

export function formatSum([, records, cents]: Row): Sum {
  return { records: Number(records ?? 0), amount: BigInt(String(cents ?? 0)) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The recipient's name as filed in the record at this position; null if there is none. */
export function readName(release: Release, position: DuckDBValue | undefined): string | null {
  if (position === undefined || position === null) return null;
  return readRecord(release, position).recipient_name;
}

/** The record at this position. Its numbers will be written with the same digits. */
function readRecord({ records }: Release, position: DuckDBValue | undefined): GrantRecord {
  const line = records
    .readLines([Number(position)])
    .toString()
    .slice(0, -lineEnd.length);
  return JSON.parse(line, (_, value, { source }) =>
    typeof value === "number" ? JSON.rawJSON(String(source)) : value,
  ) as GrantRecord;
}

type MatchedTotals = Sum & {
  readonly funders: number;
  /** Newest first. */
  readonly years: readonly (Sum & { readonly transaction_year: number })[];
  /** Surest first. */
  readonly rules: readonly { readonly match_rule: MatchRule; readonly records: number }[];
};

/** The totals of a recipient's likely grants, from the rows of `matchedSql`. */
function addUpMatched(rows: Rows = []): MatchedTotals {
  const found: { funders: number; total: Sum } = { funders: 0, total: emptySum };
  const years: MatchedTotals["years"][number][] = [];
  const recordsOf = new Map<unknown, number>();
  for (const [year, rule, records, cents, funders] of rows) {
    const sum = { records: Number(records), amount: BigInt(String(cents)) };
    if (year !== null) years.push({ transaction_year: Number(year), ...sum });
    else if (rule !== null) recordsOf.set(rule, sum.records);
    else Object.assign(found, { funders: Number(funders), total: sum });
  }
  const rules = matchRuleNames.flatMap((match_rule) => {
    const records = recordsOf.get(match_rule);
    return records === undefined ? [] : [{ match_rule, records }];
  });
  return { ...found.total, funders: found.funders, years, rules };
}
