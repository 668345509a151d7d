// Adds up and groups grants with plain SQL of DuckDB on the table `grants`, and writes the answers as the contract says.
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { resultOrderSql } from "../../../api-static/contract/answers/record.ts";
import type { Filters, GroupKey } from "../../../api-static/contract/filters.ts";
import { formatCents } from "../../../api-static/contract/text/amount.ts";
import { canonicalTextSql } from "../../../api-static/contract/text/text.ts";
import type { PlaceSources } from "../../../pipeline/parts/index/places.ts";

const toDuckDb = (value: unknown) => {
  if (Array.isArray(value)) return `[${value}]`;
  return typeof value === "bigint" ? formatCents(value) : (value as DuckDBValue);
};

/** Causes are grouped by major groups, or by whole codes. */
type Key = GroupKey | "funder_cause code" | "recipient_cause code";

type Row = Readonly<Record<string, DuckDBValue>>;

/** A condition on grants for each filter; `$name` is its value. */
const conditions: Partial<Record<keyof Filters, string>> = {
  funderEin: "funder_ein = $funderEin::UINTEGER",
  recipientEin: "recipient_ein = $recipientEin::UINTEGER",
  funderEins: "list_contains($funderEins::UINTEGER[], funder_ein)",
  recipientEins: "list_contains($recipientEins::UINTEGER[], recipient_ein)",
  transactionYear: "transaction_year = $transactionYear",
  minYear: "transaction_year >= $minYear",
  maxYear: "transaction_year <= $maxYear",
  purpose: `contains(${canonicalTextSql("purpose")}, $purpose)`,
  recipientName: `contains(${canonicalTextSql("recipient_name")}, $recipientName)`,
  type: `${canonicalTextSql("type")} = $type`,
  minAmountCents: "amount >= $minAmountCents::DECIMAL(38,2)",
  maxAmountCents: "amount <= $maxAmountCents::DECIMAL(38,2)",
  funderState: "funder_place = $funderState",
  recipientState: "recipient_place = $recipientState",
  funderCause: "starts_with(funder_causes, $funderCause)",
  recipientCause: "starts_with(recipient_causes, $recipientCause)",
  accepts: "acceptance = $accepts",
  recipientCity: "city = $recipientCity",
  recipientZip: "starts_with(zip, $recipientZip)",
};

/** SQL of a state by its source. That of an organization is in the table `listed`. */
const placeSql = (ein: string, source: PlaceSources[keyof PlaceSources]) =>
  ({
    null: "NULL::VARCHAR",
    warehouse: "recipient_state",
    organizations: `(SELECT CASE WHEN upper(trim(state)) SIMILAR TO '[A-Z][A-Z]' THEN upper(trim(state)) END
      FROM listed WHERE listed.ein = grants.${ein})`,
  })[String(source) as "null"];

/** SQL of a cause. */
const causeSql = (ein: string) => `(SELECT cause FROM listed WHERE listed.ein = grants.${ein})`;

export class GroupsOracle {
  readonly #connection: DuckDBConnection;
  readonly #filters: Filters;

  private constructor(connection: DuckDBConnection, filters: Filters) {
    this.#connection = connection;
    this.#filters = filters;
  }

  /** Adds to the grants where they went and what organizations state, once for all filters. @param places where states come from */
  static async place(
    connection: DuckDBConnection,
    { funderState, recipientState }: PlaceSources,
  ): Promise<void> {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE placed AS SELECT *, ${placeSql("funder_ein", funderState)} AS funder_place,
        ${placeSql("recipient_ein", recipientState)} AS recipient_place, ${causeSql("funder_ein")} AS funder_causes,
        ${causeSql("recipient_ein")} AS recipient_causes, ${canonicalTextSql("recipient_city")} AS city,
        printf('%05d', recipient_zip) AS zip,
        coalesce((SELECT accepts FROM stated WHERE stated.ein = funder_ein), 'unstated') AS acceptance FROM grants`,
    );
    await connection.run(`CREATE OR REPLACE TEMP TABLE placed AS SELECT * FROM placed LEFT JOIN (
        SELECT town, first(spelled ORDER BY filed DESC, encode(spelled)) AS town_city FROM (
          SELECT {city: city, state: recipient_place} AS town, recipient_city AS spelled, count(*) AS filed FROM placed
          WHERE city IS NOT NULL GROUP BY ALL) GROUP BY town)
      ON town.city = placed.city AND town.state IS NOT DISTINCT FROM placed.recipient_place`);
  }

  /** Selects the placed grants that meet the filters. */
  static async select(connection: DuckDBConnection, filters: Filters): Promise<GroupsOracle> {
    const { where, values } = whereOf(filters);
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE matches AS SELECT *, row_number() OVER (ORDER BY ${resultOrderSql}) AS rank,
       ${canonicalTextSql("recipient_name")} AS name FROM placed WHERE ${where}`,
      values,
    );
    return new GroupsOracle(connection, filters);
  }

  /** The last field of totals; "" without filters on places. */
  async #coverage(): Promise<string> {
    const fields: string[] = [];
    for (const [filter, column, name] of [
      ["funderState", "funder_place", "funder_state"],
      ["recipientCity", "city", "recipient_city"],
      ["recipientState", "recipient_place", "recipient_state"],
      ["recipientZip", "zip", "recipient_zip"],
      ["funderCause", "funder_causes", "funder_cause"],
      ["recipientCause", "recipient_causes", "recipient_cause"],
    ] as const) {
      const { [filter]: state, ...others } = this.#filters;
      if (state === undefined) continue;
      const { where, values } = whereOf(others);
      const sumWhere = async (isKnown: string) => {
        const [row = {}] = await this.#read(
          `SELECT ${sum} FROM placed WHERE ${where} AND ${column} ${isKnown}`,
          values,
        );
        return sumOf(row);
      };
      fields.push(
        `"${name}":{"known":{${await sumWhere("IS NOT NULL")}},"unknown":{${await sumWhere("IS NULL")}}}`,
      );
    }
    return fields.length === 0 ? "" : `,"coverage":{${fields}}`;
  }

  async totals(): Promise<string> {
    const [all = {}] = await this.#read(`SELECT ${sum}, count(DISTINCT funder_ein) AS funders,
      count(DISTINCT recipient_ein) + count(DISTINCT name) FILTER (recipient_ein IS NULL) AS recipients,
      min(transaction_year) AS first_year, max(transaction_year) AS last_year FROM matches`);
    const years = await this.#read(
      `SELECT transaction_year, ${sum} FROM matches GROUP BY ALL ORDER BY ALL DESC`,
    );
    const bounds = [null, 0, 1_000, 10_000, 100_000, 1_000_000, null];
    const sizes: string[] = [];
    for (let band = 0; band < 6; band++) {
      const [from, below] = [bounds[band] ?? null, bounds[band + 1] ?? null];
      const [found = {}] = await this.#read(`SELECT ${sum} FROM matches WHERE NOT ${isIndividuals}
        ${from === null ? "" : `AND amount >= ${from}`} ${below === null ? "" : `AND amount < ${below}`}`);
      sizes.push(`{"from":${dollars(from)},"below":${dollars(below)},${sumOf(found)}}`);
    }
    const [without = {}] = await this.#read(
      `SELECT ${sum} FROM matches WHERE recipient_ein IS NULL AND recipient_name IS NULL`,
    );
    const list = async (by: Key) => (await this.#groups(by, "amount", false)).slice(0, 10).join(",");
    const [inKind = {}] = await this.#read(`SELECT ${nonCash} FROM matches`);
    const [people = {}] = await this.#read(`SELECT ${sum} FROM matches WHERE ${isIndividuals}`);
    const [passed = {}] = await this.#read(
      `SELECT ${sum} FROM matches WHERE recipient_ein IN (SELECT funder_ein FROM grants)`,
    );
    const [advised = {}] = await this.#read(
      `SELECT ${sum} FROM matches WHERE recipient_ein IN (SELECT ein FROM stated WHERE is_sponsor)`,
    );
    const marks = `"non_cash":{${nonCashOf(inKind)}},"individuals":{${sumOf(people)}},"passed_on":{${sumOf(passed)}},"donor_advised":{${sumOf(advised)}}`;
    return `{"success":true,"data":{${sumOf(all)},"funders":${all.funders},"recipients":${all.recipients},\
"first_year":${all.first_year},"last_year":${all.last_year},${marks},"years":[${years.map((row) => `{${keyOf.year(row)},${sumOf(row)}}`)}],\
"sizes":[${sizes}],"top_funders":[${await list("funder")}],"top_recipients":[${await list("recipient")}],\
"without_recipient":{${sumOf(without)}}${await this.#coverage()}}}\n`;
  }

  async page(by: Key, sort: "amount" | "records", limit: number, offset: number): Promise<string> {
    const groups = await this.#groups(by, sort);
    const [all = {}] = await this.#read(`SELECT ${sum} FROM matches`);
    const page = groups.slice(offset, offset + limit);
    const data = page.length === 0 ? "[]" : `[\n${page.join(",\n")}\n]`;
    return `{"success":true,"data":${data},"total":${groups.length},${sumOf(all)},"limit":${limit},"offset":${offset}}\n`;
  }

  async #groups(by: Key, sort: "amount" | "records", hasNonCash = true): Promise<string[]> {
    const order = sort === "amount" ? "sum(amount) DESC, count(*) DESC" : "count(*) DESC, sum(amount) DESC";
    const rows = await this.#read(statements[by].replace("$order", order));
    return rows.map(
      (row) => `{${keyOf[by](row)},${sumOf(row)}${hasNonCash ? `,"non_cash":{${nonCashOf(row)}}` : ""}}`,
    );
  }

  async #read(sql: string, values?: Record<string, DuckDBValue>): Promise<Row[]> {
    return (await this.#connection.runAndReadAll(sql, values)).getRowObjects();
  }
}

function whereOf(filters: Filters): { where: string; values: Record<string, DuckDBValue> } {
  const given = Object.entries(filters);
  const where = ["true", ...given.map(([name]) => conditions[name as keyof Filters])].join(" AND ");
  return { where, values: Object.fromEntries(given.map(([name, value]) => [name, toDuckDb(value)])) };
}

/** Totals over people, among the names and types that the tests draw. */
const isIndividuals = `(coalesce(lower(type) = 'schedule i individuals', false)
  OR recipient_ein IS NULL AND coalesce(${canonicalTextSql("recipient_name")} IN ('individuals', 'various needy patients'), false))`;

const nonCash = `count(*) FILTER (non_cash_amount > 0) AS non_cash_records,
  coalesce(sum(non_cash_amount) FILTER (non_cash_amount > 0), 0)::DECIMAL(38,2)::VARCHAR AS non_cash_amount`;

const groupSums = `count(*) AS records, coalesce(sum(amount), 0)::DECIMAL(38,2)::VARCHAR AS amount, ${nonCash}`;

const sum = "count(*) AS records, coalesce(sum(amount), 0)::DECIMAL(38,2)::VARCHAR AS amount";

const statements: Record<Key, string> = {
  funder: `SELECT funder_ein, ${groupSums} FROM matches GROUP BY funder_ein ORDER BY $order, funder_ein`,
  year: `SELECT transaction_year, ${groupSums} FROM matches GROUP BY transaction_year ORDER BY $order, transaction_year`,
  type: `SELECT type, ${groupSums} FROM matches GROUP BY type ORDER BY $order, encode(type) NULLS LAST`,
  funder_state: `SELECT funder_place AS state, ${groupSums} FROM matches GROUP BY state ORDER BY $order, state NULLS LAST`,
  recipient_state: `SELECT recipient_place AS state, ${groupSums} FROM matches GROUP BY state ORDER BY $order, state NULLS LAST`,
  funder_cause: `SELECT funder_causes[1] AS cause, ${groupSums} FROM matches GROUP BY cause ORDER BY $order, cause NULLS LAST`,
  recipient_cause: `SELECT recipient_causes[1] AS cause, ${groupSums} FROM matches GROUP BY cause ORDER BY $order, cause NULLS LAST`,
  "funder_cause code": `SELECT funder_causes AS cause, ${groupSums} FROM matches GROUP BY cause ORDER BY $order, cause NULLS LAST`,
  "recipient_cause code": `SELECT recipient_causes AS cause, ${groupSums} FROM matches GROUP BY cause ORDER BY $order, cause NULLS LAST`,
  recipient_city: `SELECT town_city AS city, town.state AS state, ${groupSums} FROM matches GROUP BY town, town_city
    ORDER BY $order, encode(town.city) NULLS LAST, town.state NULLS FIRST`,
  recipient: `WITH keyed AS (SELECT *, CASE WHEN recipient_ein IS NULL THEN name END AS key FROM matches),
    names AS (SELECT recipient_ein, key, count(*) AS records, min(rank) AS rank, arg_min(recipient_name, rank) AS filed
      FROM keyed WHERE name IS NOT NULL GROUP BY recipient_ein, key, name),
    named AS (SELECT recipient_ein, key, first(filed ORDER BY records DESC, rank) AS filed FROM names GROUP BY ALL)
    SELECT keyed.recipient_ein, any_value(filed) AS recipient_name, ${groupSums} FROM keyed LEFT JOIN named
      ON keyed.recipient_ein IS NOT DISTINCT FROM named.recipient_ein AND keyed.key IS NOT DISTINCT FROM named.key
    WHERE keyed.recipient_ein IS NOT NULL OR keyed.key IS NOT NULL
    GROUP BY keyed.recipient_ein, keyed.key ORDER BY $order, keyed.recipient_ein NULLS LAST, encode(keyed.key)`,
};

const einOf = (ein: DuckDBValue | undefined) => (ein === null ? "null" : `"${String(ein).padStart(9, "0")}"`);

const causeOf = (row: Row) => `"cause":${JSON.stringify(row.cause)}`;

const stateOf = (row: Row) => `"state":${JSON.stringify(row.state)}`;

const keyOf: Record<Key, (row: Row) => string> = {
  funder: (row) => `"funder_ein":${einOf(row.funder_ein)}`,
  recipient: (row) =>
    `"recipient_ein":${einOf(row.recipient_ein)},"recipient_name":${JSON.stringify(row.recipient_name)}`,
  year: (row) => `"transaction_year":${row.transaction_year}`,
  type: (row) => `"type":${JSON.stringify(row.type)}`,
  funder_state: stateOf,
  recipient_state: stateOf,
  funder_cause: causeOf,
  recipient_cause: causeOf,
  recipient_city: (row) => `"city":${JSON.stringify(row.city)},${stateOf(row)}`,
  "funder_cause code": causeOf,
  "recipient_cause code": causeOf,
};

const nonCashOf = (row: Row) => `"records":${row.non_cash_records},"amount":${row.non_cash_amount}`;

const sumOf = (row: Row) => `"records":${row.records},"amount":${row.amount}`;

const dollars = (amount: number | null) => (amount === null ? "null" : amount.toFixed(2));
