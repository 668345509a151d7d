// Answers totals and groups by SQL.

import { lineEnd } from "../../contract/answers/envelope.ts";
import type { GrantRecord } from "../../contract/answers/record.ts";
import { formatEin } from "../../contract/ein.ts";
import { byAttribute, coveredIn, readGroup } from "../../contract/filters/attributes.ts";
import type { Filters, GroupKey } from "../../contract/filters.ts";
import { addSums, type Sum, sizeBounds, subtractSum } from "../../contract/text/amount.ts";
import { type FoundGroups, formatLines, type GroupsWanted, maxTop } from "../groupSearch.ts";
import { formatTotals } from "../sums.ts";
import { resultOrder } from "./search.ts";
import { type SqlEngine, type TableColumnName, type TextRows, whereSql } from "./table.ts";

/** Recipients whose names are found at once. */
const namesAtOnce = 1_000;

type Key = readonly (string | null)[];

type Kind = {
  /** Of codes, the groups by their first letter. */
  readonly major?: Kind;
  /** The columns of the key: two, because a recipient is known by its EIN, or else by its name. */
  readonly columns: readonly [string, string];
  /** The order of keys, by the names of the columns of a group. */
  readonly order: string;
  /** The condition that a grant is in a group. */
  readonly where?: string;
  /** The fields of the key, except a recipient's name. */
  readonly fieldsOf: (key: Key) => object;
};

const kinds: Readonly<Record<GroupKey, Kind>> = {
  funder: {
    columns: ["funder_ein", "0"],
    order: "one",
    fieldsOf: ([ein]) => ({ funder_ein: formatEin(Number(ein)) }),
  },
  recipient: {
    columns: ["recipient_ein", "CASE WHEN recipient_ein IS NULL THEN recipient_name ELSE '' END"],
    order: "one IS NULL, one, other",
    where: "(recipient_ein IS NOT NULL OR recipient_name <> '')",
    fieldsOf: ([ein = null]) => ({ recipient_ein: ein === null ? null : formatEin(Number(ein)) }),
  },
  year: {
    columns: ["transaction_year", "0"],
    order: "one",
    fieldsOf: ([year]) => ({ transaction_year: Number(year) }),
  },
  // An unknown value is null as filed; else it is empty.
  ...byAttribute(({ name, isFiled, group }): Kind => {
    const kind: Kind = {
      columns: [isFiled ? `${name}_filed` : name, "0"],
      order: isFiled ? "one IS NULL, one" : "one = '', one",
      fieldsOf: ([value = null]) => readGroup(group, isFiled ? value : value || null),
    };
    if (!("isByLetter" in group)) return kind;
    return { ...kind, major: { ...kind, columns: [`substring(${name}, 1, 1)`, "0"] } };
  }),
};

const bandSql = `CASE ${sizeBounds.map((bound, band) => `WHEN amount_cents < ${bound} THEN ${band}`).join(" ")} ELSE ${sizeBounds.length} END`;

/** Adds up the matches of a search. */
export class SqlGroups {
  readonly #engine: SqlEngine;
  readonly #filters: Filters;
  readonly #signal: AbortSignal;

  constructor(engine: SqlEngine, filters: Filters, signal: AbortSignal) {
    this.#engine = engine;
    this.#filters = filters;
    this.#signal = signal;
  }

  async findGroups({ by, level, sort, limit, offset }: GroupsWanted): Promise<FoundGroups> {
    const kind = level === "code" ? kinds[by] : (kinds[by].major ?? kinds[by]);
    const all = await this.#sum();
    const total = await this.#count(kind);
    const groups = await this.#groups(kind, sort, this.#engine.page(limit, offset));
    return { all, total, lines: formatLines(await this.#format(by, groups, true)) };
  }

  async findTotals(): Promise<FoundGroups> {
    const years = (await this.#sums("transaction_year")).map((row) => ({
      year: Number(row[0]),
      ...sumOf(row),
    }));
    years.sort((one, other) => other.year - one.year);
    const sizes: Sum[] = [];
    for (const row of await this.#sums(bandSql, "is_individuals = 0")) sizes[Number(row[0])] = sumOf(row);
    const all = addSums(years);
    const find = async (by: "funder" | "recipient") => ({
      total: await this.#count(kinds[by]),
      top: await this.#format(by, await this.#groups(kinds[by], "amount", this.#engine.page(maxTop, 0))),
    });
    const known = await this.#sum(kinds.recipient.where);
    const lines = formatTotals({
      all,
      years,
      sizes,
      marks: {
        non_cash: await this.#sum("non_cash_cents > 0", "non_cash_cents"),
        individuals: await this.#sum("is_individuals = 1"),
        passed_on: await this.#sum("is_passed_on = 1"),
        donor_advised: await this.#sum("is_donor_advised = 1"),
      },
      funders: await find("funder"),
      recipients: { ...(await find("recipient")), without: subtractSum(all, known) },
      coverage: coveredIn(this.#filters).length > 0 ? await this.#findCoverage() : undefined,
    });
    return { all, total: 0, lines };
  }

  async #findCoverage(): Promise<object> {
    const coverage: Record<string, object> = {};
    for (const { name: column, key } of coveredIn(this.#filters)) {
      const { [key]: _, ...others } = this.#filters;
      const search = new SqlGroups(this.#engine, others, this.#signal);
      const [all, known] = [await search.#sum(), await search.#sum(`${column} <> ''`)];
      coverage[column] = { known, unknown: subtractSum(all, known) };
    }
    return coverage;
  }

  /** The sum of the matches for which a condition holds. */
  async #sum(where?: string, cents?: TableColumnName): Promise<Sum> {
    return sumOf((await this.#sums("0", where, cents))[0]);
  }

  /** A row for each value of an expression: the value, records, cents. */
  #sums(value: string, where = "1 = 1", cents: TableColumnName = "amount_cents"): Promise<TextRows> {
    return this.#read(
      (own) => `SELECT ${value} AS one, count(*), ${this.#engine.sum(cents)} FROM grants
WHERE ${own} AND ${where} GROUP BY one`,
    );
  }

  async #count({ columns: [one, other], where = "1 = 1" }: Kind): Promise<number> {
    const rows = await this.#read(
      (own) => `SELECT count(*) FROM (SELECT ${one} AS one, ${other} AS other FROM grants
WHERE ${own} AND ${where} GROUP BY one, other) AS keys`,
    );
    return Number(rows[0]?.[0]);
  }

  /** A row for each group of a page: the key, records, cents; records and cents of non-cash support. */
  #groups(
    { columns: [one, other], order, where = "1 = 1" }: Kind,
    sort: GroupsWanted["sort"],
    page: string,
  ): Promise<TextRows> {
    const sorted = sort === "amount" ? "amount DESC, records DESC" : "records DESC, amount DESC";
    return this.#read(
      (
        own,
      ) => `SELECT ${one} AS one, ${other} AS other, count(*) AS records, ${this.#engine.sum("amount_cents")} AS amount,
  sum(CASE WHEN non_cash_cents > 0 THEN 1 ELSE 0 END), ${this.#engine.sum("non_cash_cents")}
FROM grants WHERE ${own} AND ${where} GROUP BY one, other ORDER BY ${sorted}, ${order} ${page}`,
    );
  }

  /** Groups as they are written: key, records, amount, and non-cash support if it is wanted. */
  async #format(by: GroupKey, groups: TextRows, isNonCash = false): Promise<object[]> {
    const names = by === "recipient" ? await this.#findNames(groups) : undefined;
    return groups.map(([one = null, other = null, records = null, cents = null, ...nonCash]) => ({
      ...kinds[by].fieldsOf([one, other]),
      ...(names && { recipient_name: names.get(`${one} ${one === null ? other : ""}`) ?? null }),
      ...sumOf([null, records, cents]),
      ...(isNonCash && { non_cash: sumOf([null, ...nonCash]) }),
    }));
  }

  /** The name of each recipient that most of its matches give, as the first of them in result order has it. */
  async #findNames(groups: TextRows): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for (let from = 0; from < groups.length; from += namesAtOnce)
      await this.#addNames(groups.slice(from, from + namesAtOnce), names);
    return names;
  }

  async #addNames(groups: TextRows, names: Map<string, string>): Promise<void> {
    const eins = groups.flatMap(([ein]) => (ein === null ? [] : [Number(ein)]));
    const unknown = groups.flatMap(([ein, name]) => (ein === null ? [name ?? ""] : []));
    const statement = this.#engine.start();
    const where = `${whereSql(this.#filters, statement)} AND recipient_name <> ''`;
    const listed = [
      ...(eins.length > 0 ? [`recipient_ein IN (${eins.join(", ")})`] : []),
      ...(unknown.length > 0
        ? [`(recipient_ein IS NULL AND ${statement.isOneOf("recipient_name", unknown)})`]
        : []),
    ].join(" OR ");
    if (listed === "") return;
    const columns = "recipient_ein, recipient_name";
    const firsts = this.#engine.firstOfEach(
      `SELECT ${columns}, ${this.#engine.line} FROM grants WHERE ${where} AND (${listed})`,
      ...[columns, resultOrder],
    );
    const found = await statement.read(firsts, this.#signal);
    const counts = await this.#countNames(eins);
    const chosen = new Map<string, { readonly count: number; readonly line: string }>();
    for (const [ein = null, name = null, line] of found) {
      const key = `${ein} ${ein === null ? name : ""}`;
      const count = counts.get(`${ein} ${name}`) ?? 1;
      if (count > (chosen.get(key)?.count ?? 0)) chosen.set(key, { count, line: line ?? "" });
    }
    const keys = [...chosen.keys()];
    const lines = await this.#engine.readLines([...chosen.values()].map(({ line }) => line));
    const records = JSON.parse(`[${lines.toString().slice(0, -lineEnd.length)}]`) as GrantRecord[];
    for (const [index, { recipient_name }] of records.entries())
      names.set(keys[index] ?? "", String(recipient_name));
  }

  /** How many matches give each name of some recipients. */
  async #countNames(eins: readonly number[]): Promise<ReadonlyMap<string, number>> {
    if (eins.length === 0) return new Map();
    const rows = await this.#read(
      (own) => `SELECT recipient_ein, recipient_name, count(*) FROM grants
WHERE ${own} AND recipient_ein IN (${eins.join(", ")}) GROUP BY recipient_ein, recipient_name`,
    );
    return new Map(rows.map(([ein, name, count]) => [`${ein} ${name}`, Number(count)]));
  }

  /** @param write gets the condition of the filters */
  #read(write: (where: string) => string): Promise<TextRows> {
    const statement = this.#engine.start();
    return statement.read(write(whereSql(this.#filters, statement)), this.#signal);
  }
}

/** The sum in the second and third cell of a row. */
function sumOf(row: Key = []): Sum {
  return { records: Number(row[1] ?? 0), amount: BigInt(row[2] ?? 0) };
}
