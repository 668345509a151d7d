// Verifies totals and groups: those of a few searches are compared with plain SQL on the table of all records. Verification compares
// the table with `records` itself.
import { join } from "node:path";
import { type DuckDBConnection, type DuckDBValue, listValue } from "@duckdb/node-api";
import type { Filters } from "../../api-static/contract/filters.ts";
import { type GroupKey, groupKeys, placeFilters, placesOf } from "../../api-static/contract/filters.ts";
import { totalsHref } from "../../api-static/contract/pageKeys.ts";
import { sizeBounds } from "../../api-static/contract/sizes.ts";
import { canonicalText } from "../../api-static/contract/text.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { parts } from "../../api-static/release/layout.ts";
import { filterSql } from "../../api-static/search/filterSql.ts";
import type { Release } from "../../api-static/search/release.ts";
import type { Search } from "../../api-static/search/search.ts";
import type { Manifest } from "../releases/manifest.ts";
import { drawSearches, openPlaces } from "./drawnSearches.ts";

import { describeError } from "./searches.ts";

/** Searches whose totals are compared, at most. */
const maxSearches = 12;

/** Matches of these searches together, at most: SQL takes over a second per million. Broader searches are skipped. */
const maxMatches = 1_000_000;

/** Groups of a search that are compared, and those that totals list. */
const maxGroups = 100;
const maxTop = 10;

/** SQL of a group's key: a number, or the id of a text in a table of texts. */
type Grouping = {
  readonly number?: string;
  readonly id?: string;
  readonly texts?: string;
  readonly where?: string;
};

const recipientGroup: Grouping = {
  number: "recipient_ein",
  id: "CASE WHEN recipient_ein IS NULL THEN recipient_name END",
  texts: "recipient_names",
  where: "recipient_ein IS NOT NULL OR recipient_name IS NOT NULL",
};

const groupings: Readonly<Record<GroupKey, Grouping>> = {
  funder: { number: "funder_ein" },
  recipient: recipientGroup,
  year: { number: "transaction_year" },
  type: { id: "type", texts: "types" },
  funder_state: { id: "funder_state", texts: "states" },
  recipient_state: { id: "recipient_state", texts: "states" },
};

const sizeGroup: Grouping = {
  number: sizeBounds.map((bound) => `(amount_cents >= ${bound})::INTEGER`).join(" + "),
};

/** The keys of groups in order. */
const keyOrder = "number NULLS LAST, text NULLS LAST";

/** A group as text: the number and the text of its key, its records and its cents. */
type Line = string;

/** A group as answers write it, with its amount in cents. */
type Group = Readonly<Record<string, unknown>> & { readonly records: number; readonly amount: string };

/** Totals as answers write them, with amounts in cents. */
type Totals = Group & {
  readonly funders: number;
  readonly recipients: number;
  readonly first_year: number | null;
  readonly last_year: number | null;
  readonly without_recipient: Group;
  readonly coverage?: Readonly<Record<string, Readonly<Record<"known" | "unknown", Group>>>>;
} & Readonly<Record<"years" | "sizes" | "top_funders" | "top_recipients", readonly Group[]>>;

/**
 * Draws searches, and compares their totals and groups with SQL.
 * @param connection whose current database is the index
 */
export function findDrawnTotalsProblems(
  connection: DuckDBConnection,
  { folder, search, records }: Pick<Release, "folder" | "search" | "records">,
  { release: id, totals, parts: sealed }: Manifest,
): Promise<string[]> {
  const seed = `totals ${id} ${sealed[parts.records]?.sha256}`;
  const columns = Columns.open(join(folder, parts.columns));
  const drawn = drawSearches(records, totals.records, seed, maxSearches, openPlaces(columns)) ?? []; // other checks find lines that are no records
  columns.close();
  const searches = drawn.map(({ filters }) => filters);
  return findTotalsProblems(connection, search, searches);
}

/**
 * Compares the totals and groups of searches with SQL.
 * @param connection whose current database is the index
 */
export async function findTotalsProblems(
  connection: DuckDBConnection,
  search: Pick<Search, "findTotals" | "findGroups">,
  searches: readonly Filters[],
): Promise<string[]> {
  const problems: string[] = [];
  let matches = 0;
  for (const [index, filters] of searches.entries()) {
    const by = groupKeys[index % groupKeys.length] as GroupKey;
    const sort = index % 2 === 0 ? "amount" : "records";
    const name = totalsHref({ kind: "totals", scope: "search", filters });
    try {
      const { all, body } = await search.findTotals(filters);
      if (matches + all.records > maxMatches) continue;
      matches += all.records;
      const check = new MatchCheck(connection);
      await check.select(filters);
      const totals = (readCents(body.toString()) as { data: Totals }).data;
      const page = { by, sort, limit: maxGroups, offset: 0 } as const;
      const { total, lines } = await search.findGroups(filters, page);
      const differing = [
        ...(await check.findTotals(totals)),
        ...(await check.findGroups(by, sort, total, readLines(lines))),
        ...(await check.findCoverage(filters, totals)),
      ];
      problems.push(...differing.map((part) => `${name}: SQL gives other ${part}`));
    } catch (error) {
      problems.push(`${name}: ${describeError(error)}`);
    }
  }
  return problems;
}

/** Reads JSON with amounts as cents. The pattern cannot match inside a string, where quotes are escaped. */
function readCents(json: string): unknown {
  return JSON.parse(json.replaceAll(/"amount":(-?\d+)\.(\d\d)/g, '"amount":"$1$2"'));
}

const readLines = (lines: Buffer) => readCents(`[${lines.toString().slice(0, -2)}]`) as readonly Group[];

const formatGroup = (number: unknown, text: unknown, { records, amount }: Group): Line =>
  JSON.stringify([number ?? null, text ?? null, String(records), String(BigInt(amount))]);

function formatKey(by: GroupKey, group: Group): Line {
  const ein = group[`${by}_ein`] ?? null;
  const { transaction_year: year, recipient_name: name, type, state = type } = group;
  const text = by === "recipient" && ein === null ? canonicalText(String(name)) : state;
  return formatGroup(ein === null ? year : Number(ein), text, group);
}

/** The matches of a search in a table of their own, and comparisons with it. Each names what differs. */
class MatchCheck {
  readonly #connection: DuckDBConnection;

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** Selects the matches. */
  async select(filters: Filters): Promise<void> {
    const { where, values } = filterSql(filters);
    await this.#connection.run(
      `CREATE OR REPLACE TEMP TABLE matches AS
        SELECT funder_ein, recipient_ein, recipient_name, transaction_year, type, funder_state, recipient_state, amount_cents
        FROM by_funder WHERE ${where}`,
      values,
    );
  }

  async findTotals(found: Totals): Promise<string[]> {
    const top = (by: GroupKey) => this.#groups(groupings[by], "amount DESC, records DESC", maxTop);
    const years = await this.#groups(groupings.year, "number DESC");
    const sizes = await this.#groups(sizeGroup, keyOrder);
    const { where } = recipientGroup;
    const sums =
      await this.#read(`SELECT count(*), coalesce(sum(amount_cents), 0), count(DISTINCT funder_ein),
      count(DISTINCT recipient_ein) + count(DISTINCT CASE WHEN recipient_ein IS NULL THEN recipient_name END),
      min(transaction_year), max(transaction_year),
      count(*) FILTER (NOT (${where})), coalesce(sum(amount_cents) FILTER (NOT (${where})), 0) FROM matches`);
    const { without_recipient: without, ...all } = found;
    const own = [
      ...[all.records, BigInt(all.amount), all.funders, all.recipients, all.first_year, all.last_year],
      ...[without.records, BigInt(without.amount)],
    ];
    const bands = found.sizes.map((band, index) => formatGroup(index, undefined, band));
    const lists: Readonly<Record<string, readonly [readonly Line[], readonly Line[]]>> = {
      sums: [sums.map(String), [String(own)]],
      years: [years, found.years.map((year) => formatKey("year", year))],
      sizes: [sizes, bands.filter((_, index) => found.sizes[index]?.records !== 0)],
      top_funders: [await top("funder"), found.top_funders.map((group) => formatKey("funder", group))],
      top_recipients: [
        await top("recipient"),
        found.top_recipients.map((group) => formatKey("recipient", group)),
      ],
    };
    const differing = Object.keys(lists).filter(
      (name) => String(lists[name]?.[0]) !== String(lists[name]?.[1]),
    );
    return [...differing, ...(await this.#findNames(found.top_recipients))];
  }

  async findGroups(
    by: GroupKey,
    sort: "amount" | "records",
    total: number,
    found: readonly Group[],
  ): Promise<string[]> {
    const order = `${sort} DESC, ${sort === "amount" ? "records" : "amount"} DESC`;
    const expected = await this.#groups(groupings[by], order, maxGroups);
    const { number = "NULL", id = "NULL", where = "true" } = groupings[by];
    const [[count] = []] = await this.#read(
      `SELECT count(*) FROM (SELECT DISTINCT ${number}, ${id} FROM matches WHERE ${where})`,
    );
    const lines = found.map((group) => formatKey(by, group));
    const isSame = String(expected) === String(lines) && total === Number(count);
    return [
      ...(isSame ? [] : [`groups by ${by}`]),
      ...(by === "recipient" ? await this.#findNames(found) : []),
    ];
  }

  /** Compares the matches of all filters but one on a place, by whether the place is known. Other matches are selected after that. */
  async findCoverage(filters: Filters, { coverage = {} }: Totals): Promise<string[]> {
    const expected: unknown[] = [];
    for (const filter of placesOf(filters)) {
      const { [filter]: _, ...others } = filters;
      await this.select(others);
      const column = placeFilters[filter];
      const groups =
        await this.#read(`SELECT count(*) FILTER (known), coalesce(sum(amount_cents) FILTER (known), 0),
        count(*) FILTER (NOT known), coalesce(sum(amount_cents) FILTER (NOT known), 0)
        FROM (SELECT amount_cents, ${column} IS NOT NULL AS known FROM matches)`);
      expected.push([column, ...groups.flat()]);
    }
    const found = Object.entries(coverage).map(([column, { known, unknown }]) => {
      const sums = [known, unknown].flatMap(({ records, amount }) => [records, BigInt(amount)]);
      return [column, ...sums];
    });
    return String(expected) === String(found) ? [] : ["coverage"];
  }

  /** Compares the names of recipients that have an EIN: each must be one that most of their matches have. */
  async #findNames(recipients: readonly Group[]): Promise<string[]> {
    const named = recipients.filter(({ recipient_ein }) => recipient_ein !== null);
    if (named.length === 0) return [];
    const eins = listValue(named.map(({ recipient_ein }) => String(recipient_ein)));
    const rows = await this.#read(
      `SELECT recipient_ein, ' ' || text FROM (
        SELECT recipient_ein, recipient_name AS id, count(*) AS records FROM matches
        WHERE recipient_ein IN (SELECT unnest($eins)::UINTEGER) AND recipient_name IS NOT NULL GROUP BY 1, 2
        QUALIFY rank() OVER (PARTITION BY recipient_ein ORDER BY records DESC) = 1
      ) JOIN (SELECT id, text FROM recipient_names) USING (id)`,
      { eins },
    );
    const isRight = named.every(({ recipient_ein, recipient_name: name }) => {
      const names = rows.filter(([ein]) => ein === Number(recipient_ein)).map(([, text]) => text);
      return name === null ? names.length === 0 : names.includes(` ${canonicalText(String(name))}`);
    });
    return isRight ? [] : ["names of recipients"];
  }

  /** The groups in an order of SQL. Their texts follow a space: DuckDB's client drops a byte order mark at the start of a text. */
  async #groups(
    { number = "NULL", id = "NULL", texts = "types", where = "true" }: Grouping,
    order: string,
    limit = 1_000,
  ): Promise<Line[]> {
    const rows = await this.#read(
      `SELECT number, ' ' || text AS text, records, amount FROM (
        SELECT ${number} AS number, ${id} AS id, count(*) AS records, sum(amount_cents) AS amount
        FROM matches WHERE ${where} GROUP BY 1, 2
      ) LEFT JOIN (SELECT id, text FROM ${texts}) USING (id)
      ORDER BY ${order}, ${keyOrder} LIMIT ${limit}`,
    );
    return rows.map(([number, text, records, amount]) =>
      formatGroup(number, text === null ? null : String(text).slice(1), {
        records: Number(records),
        amount: String(amount),
      }),
    );
  }

  async #read(sql: string, values?: Record<string, DuckDBValue>): Promise<DuckDBValue[][]> {
    return (await this.#connection.runAndReadAll(sql, values)).getRows();
  }
}
