// Tests with random tables that the index finds the records that DuckDB finds, in the same order, and knows their groups.

import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { resultOrderSql } from "../../../../api-static/contract/answers/record.ts";
import type { Places } from "../../../../api-static/contract/answers/report.ts";
import { placeFilters } from "../../../../api-static/contract/filters.ts";
import { canonicalText, canonicalTextSql } from "../../../../api-static/contract/text/text.ts";
import { Columns, type TextFilter, textColumns } from "../../../../api-static/release/columns.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { hasBit } from "../../../../api-static/search/bits.ts";
import { Texts } from "../../../../api-static/search/texts.ts";
import { countRows, openDatabase } from "../../../../pipeline/base/database.ts";
import { noPlaces, type PlaceSources } from "../../../../pipeline/parts/index/places.ts";
import { text } from "../../../api-static/contract/arbitraries.ts";
import { proofs } from "../../../proofs.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";
import { buildIndex } from "./index.fixture.ts";

const folder = useFolder();

/** Texts as a sync files them: trimmed, not empty, without NUL. */
const filed = fc
  .oneof(text, fc.constantFrom("of the arts", "The  Arts", "the arts of the arts", "\uFEFF the"))
  .map((value) => value.replaceAll("\0", "").trim())
  .filter((value) => value !== "");

/** Rows with few different texts, and pieces of these to search for. */
const table = fc.array(filed, { minLength: 1, maxLength: 6 }).chain((pool) => {
  const one = fc.option(fc.constantFrom(...pool));
  const pattern = fc
    .tuple(fc.constantFrom(...pool), fc.nat(30), fc.integer({ min: 1, max: 30 }))
    .map(([whole, from, length]) =>
      canonicalText([...canonicalText(whole)].slice(from, from + length).join("")),
    );
  const year = fc.integer({ min: 2019, max: 2021 });
  return fc.record({
    rows: fc.array(
      fc.record({
        ...{ funder: fc.nat(3), year, amount: fc.nat(2), name: one, purpose: one, type: one },
        ...{ recipient: fc.option(fc.nat(4)), state: fc.option(fc.constantFrom<string>("NY", "CA", "TX")) },
      }),
      { minLength: 1, maxLength: 40 },
    ),
    /** The states of the organizations in the list, by EIN. */
    listed: fc.array(fc.constantFrom("NY", "WA", " tx", "Ohio", null), { maxLength: 5 }),
    places: fc.constantFrom<PlaceSources>(
      noPlaces,
      { funderState: "organizations", recipientState: "organizations" },
      { funderState: "organizations", recipientState: "warehouse" },
      { funderState: null, recipientState: "warehouse" },
    ),
    searches: fc.array(fc.tuple(pattern, pattern), { minLength: 1, maxLength: 20 }),
  });
});

type Table = typeof table extends fc.Arbitrary<infer Value> ? Value : never;

/** Causes of listed organizations, in turn. */
const causes = [null, "A20", "A68", "B"];

type Grants = Pick<Table, "rows"> & Partial<Pick<Table, "listed" | "places">>;

/** Some grants without a recipient have a likely one. */
const matchesSql = `CREATE TABLE matches AS
  SELECT rowid::UINTEGER AS position, (id % 3)::UINTEGER AS ein, (id * 2)::INTEGER AS text FROM grants
  WHERE recipient_ein IS NULL AND id % 2 = 0`;

/**
 * Writes the index of the rows, and calls `check` with its columns, a connection that has the tables `grants` and `listed`, and the
 * counts of grants without a state.
 */
async function withIndex(
  { rows, listed = [], places = noPlaces }: Grants,
  check: (columns: Columns, connection: DuckDBConnection, counted: Places) => Promise<void>,
): Promise<void> {
  await mkdir(folder.home, { recursive: true });
  const path = await mkdtemp(join(folder.home, "index-"));
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  await connection.run(`CREATE TABLE drawn (id BIGINT, funder_ein UINTEGER, transaction_year USMALLINT, amount DECIMAL(18,2),
    recipient_name VARCHAR, purpose VARCHAR, type VARCHAR, recipient_ein UINTEGER, non_cash_amount DECIMAL(18,2),
    recipient_state VARCHAR)`);
  for (const [id, row] of rows.entries())
    await connection.run(
      "INSERT INTO drawn VALUES ($id, $funder, $year, $amount, $name, $purpose, $type, $recipient, NULL, $state)",
      { id, ...row },
    );
  await connection.run("CREATE TABLE listed (ein UINTEGER, state VARCHAR, cause VARCHAR)");
  for (const [ein, state] of listed.entries())
    await connection.run("INSERT INTO listed VALUES ($ein, $state, $cause)", {
      ...{ ein, state },
      cause: causes[ein % causes.length] ?? null,
    });
  await connection.run(`CREATE TABLE grants AS FROM drawn ORDER BY funder_ein, ${resultOrderSql}`);
  await connection.run(matchesSql);
  const hasMatches = (await countRows(connection, "matches")) > 0;
  const counted = await buildIndex(connection, path, { places, hasMatches });
  const columns = Columns.open(join(path, parts.columns));
  await check(columns, connection, counted);
  columns.close();
  connection.closeSync();
  instance.closeSync();
}

it("finds the records whose texts contain the patterns, in result order", async () => {
  const findAll = async (searches: Table["searches"], columns: Columns, connection: DuckDBConnection) => {
    for (const [purpose, recipientName] of searches) {
      const patterns = { purpose, recipientName };
      const conditions = Object.entries(textColumns).map(
        ([filter, column]) =>
          `($${filter} = '' OR coalesce(contains(${canonicalTextSql(column)}, $${filter}), false))`,
      );
      const expected = await connection.runAndReadAll(
        `SELECT rowid::INTEGER FROM grants WHERE ${conditions.join(" AND ")} ORDER BY ${resultOrderSql}`,
        patterns,
      );
      expect(findPositions(columns, patterns), JSON.stringify(patterns)).toEqual(
        expected.getRows().map(([position]) => position),
      );
    }
  };
  const check = ({ rows, searches }: Table) =>
    withIndex({ rows }, (columns, connection) => findAll(searches, columns, connection));
  await fc.assert(fc.asyncProperty(table, check), { numRuns: proofs.anyIndexes });
});

it("has the funder, the recipient and the type of each record", async () => {
  const check = ({ rows }: Table) =>
    withIndex({ rows }, async (columns, connection) => {
      const read = await connection.runAndReadAll(
        `SELECT funder_ein, recipient_ein, type, ${canonicalTextSql("recipient_name")} AS name FROM drawn ORDER BY ${resultOrderSql}`,
      );
      const sorted = read.getRowObjects() as unknown as Filed[];
      const funders = distinct(sorted.map((row) => row.funder_ein));
      const recipients = distinct(sorted.map((row) => row.recipient_ein));
      const types = distinct(sorted.map((row) => encode(row.type)));
      const [names, texts] = [columns.column("recipient_name.order"), columns.column("rank.recipient_name")];
      const byBytes = distinct(sorted.map((row) => encode(row.name)));
      const column = (name: string) => [...columns.column(name).slice(0, rows.length)];
      expect(column("rank.funder")).toEqual(sorted.map((row) => funders.indexOf(row.funder_ein)));
      expect(column("rank.recipient")).toEqual(
        sorted.map(({ recipient_ein }, rank) =>
          recipient_ein === null ? recipients.length + texts.at(rank) : recipients.indexOf(recipient_ein),
        ),
      );
      expect(column("rank.type")).toEqual(
        sorted.map(({ type }) => (type === null ? types.length : types.indexOf(encode(type) as string))),
      );
      const starts = columns.column("type.start");
      const bytes = Buffer.from(columns.bytes("type.bytes"));
      expect(types.map((_, id) => bytes.toString("hex", starts.at(id), starts.at(id + 1)))).toEqual(types);
      expect(names.length).toBe(byBytes.length);
      for (const [rank, { name }] of sorted.entries())
        if (name !== null) expect(names.at(texts.at(rank))).toBe(byBytes.indexOf(encode(name) as string));
    });
  await fc.assert(fc.asyncProperty(table, check), { numRuns: Math.ceil(proofs.anyIndexes / 4) });
});

type Filed = {
  readonly funder_ein: number;
  readonly recipient_ein: number | null;
  readonly type: string | null;
  readonly name: string | null;
};

it.each([
  { types: 255, width: 1 },
  { types: 256, width: 2 },
])("stores $types types and none in $width bytes a record", ({ types, width }) => {
  const row = { funder: 0, year: 2020, amount: 1, name: null, purpose: null, recipient: null, state: null };
  const names = Array.from({ length: types }, (_, type) => String(type).padStart(3, "0"));
  const rows = [...names, null].map((type) => ({ ...row, type }));
  return withIndex({ rows }, async (columns) => {
    expect(columns.placeOf("rank.type")).toMatchObject({ length: types + 1, width });
    const column = columns.column("rank.type");
    expect(column.length).toBe(types + 1);
    expect([...column.slice(0, types + 1)]).toEqual([...rows.keys()]); // equal grants are in order of their ids
    expect(column.at(types)).toBe(types);
  });
});

/** The rows of each order, without those that it omits. */
/** The orders of all records in which the index has the columns of states. */
const stateOrders = ["rank", "position", "recipient", "purpose", "recipient_name"] as const;

const orders: Readonly<Record<(typeof stateOrders)[number] | "likely", string>> = {
  rank: `ORDER BY ${resultOrderSql}`,
  position: "ORDER BY position",
  recipient: `WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, ${resultOrderSql}`,
  likely: `WHERE likely_ein IN (SELECT ein FROM matches) ORDER BY likely_ein, ${resultOrderSql}`,
  purpose: orderOfTexts("purpose"),
  recipient_name: orderOfTexts("recipient_name"),
};

/** Rows in the order of a dictionary's texts, then in result order. */
function orderOfTexts(column: string): string {
  const text = canonicalTextSql(column);
  return `WHERE ${column} IS NOT NULL ORDER BY count(*) OVER (PARTITION BY ${text}) DESC, ${text}, ${resultOrderSql}`;
}

const statesSql = (source: PlaceSources[keyof PlaceSources], ein: string) => {
  if (source === "warehouse") return "recipient_state";
  const listed = `(SELECT CASE WHEN regexp_full_match(trim(state), '[A-Za-z]{2}') THEN upper(trim(state)) END
    FROM listed WHERE listed.ein = grants.${ein})`;
  return source === null ? "NULL::VARCHAR" : listed;
};

/** SQL of a grant's recipient, as filed or matched. */
const likelySql = "coalesce(recipient_ein, (SELECT ein FROM matches WHERE position = grants.rowid))";

it("has all grants of the recipients with a match, in result order", async () => {
  const check = ({ rows }: Table) =>
    withIndex({ rows }, async (columns, connection) => {
      const from = `FROM (SELECT grants.*, rowid AS position, ${likelySql} AS likely_ein FROM grants)`;
      const read = await connection.runAndReadAll(
        `SELECT position::INTEGER, if(recipient_ein IS NULL, id * 2, -1)::INTEGER, likely_ein::INTEGER ${from} ${orders.likely}`,
      );
      const [positions = [], texts = [], eins = []] = read.getColumnsJS() as number[][];
      const all = (name: string) => [...columns.column(name).slice(0, columns.placeOf(name).length)];
      expect(all("likely.position")).toEqual(positions);
      expect(all("likely.match")).toEqual(texts);
      expect(all("likely.is_filed")).toEqual(texts.map((text) => (text < 0 ? 1 : 0)));
      expect(all("likely.ein")).toEqual(distinct(eins));
      expect(all("likely.start")).toEqual([...distinct(eins).map((ein) => eins.indexOf(ein)), eins.length]);
      for (const name of ["rank", ...Object.values(textColumns)]) {
        const byPosition = all(`position.${name}`);
        expect(all(`likely.${name}`)).toEqual(positions.map((position) => byPosition[position]));
      }
    });
  const parameters = { numRuns: Math.ceil(proofs.anyIndexes / 4) };
  await fc.assert(fc.asyncProperty(table, check), parameters);
});

it("has the states of each record in every order, from the warehouse or the list", async () => {
  const check = ({ places, ...table }: Table) =>
    withIndex({ places, ...table }, async (columns, connection, counted) => {
      const rows = `(SELECT *, rowid AS position, ${statesSql(places.funderState, "funder_ein")} AS funder_place,
        ${statesSql(places.recipientState, "recipient_ein")} AS recipient_place, ${likelySql} AS likely_ein FROM grants)`;
      const read = async (sql: string) => (await connection.runAndReadAll(sql)).getColumnsJS();
      const found = [await read(`SELECT funder_place, recipient_place FROM ${rows}`)].flat(2);
      const states = distinct(found as (string | null)[]);
      expect(String(Buffer.from(columns.bytes("state.bytes")))).toBe(states.join(""));
      expect([...columns.column("state.start").slice(0, states.length + 1)]).toEqual(
        [...states.keys(), states.length].map((id) => 2 * id),
      );
      for (const order of [...stateOrders, "likely"] as const) {
        const expected = await read(`SELECT funder_place, recipient_place FROM ${rows} ${orders[order]}`);
        for (const [kind, column] of Object.values(placeFilters).entries()) {
          const { length, width } = columns.placeOf(`${order}.${column}`);
          const values = [...columns.column(`${order}.${column}`).slice(0, length)];
          expect([width, values.map((id) => states[id] ?? null)]).toEqual([1, expected[kind] ?? []]);
          expect(values.every((id) => id <= states.length)).toBe(true);
        }
      }
      const [funders = [], recipients = []] = await read(`SELECT funder_place, recipient_place FROM ${rows}`);
      const isNull = (value: unknown) => value === null;
      expect(counted).toEqual({
        funder_state: { source: places.funderState, unknown: funders.filter(isNull).length },
        recipient_state: { source: places.recipientState, unknown: recipients.filter(isNull).length },
        recipient_city: { unknown: recipients.length },
        recipient_zip: { unknown: recipients.length },
      });
    });
  await fc.assert(fc.asyncProperty(table, check), { numRuns: proofs.anyIndexes });
});

it.each([
  { states: 255, width: 1 },
  { states: 256, width: 2 },
])("stores $states states and none in $width bytes a record", ({ states, width }) => {
  const row = { funder: 0, year: 2020, amount: 1, name: "N", purpose: "P", recipient: 1, type: null };
  const names = Array.from({ length: states }, (_, id) =>
    String.fromCharCode(65 + Math.floor(id / 26), 65 + (id % 26)),
  );
  const rows = [...names, null].map((state) => ({ ...row, state }));
  return withIndex({ rows, places: { funderState: null, recipientState: "warehouse" } }, async (columns) => {
    for (const order of stateOrders) {
      expect(columns.placeOf(`${order}.recipient_state`)).toMatchObject({ length: states + 1, width });
      const ids = columns.column(`${order}.recipient_state`).slice(0, states + 1);
      expect([...ids]).toEqual([...rows.keys()]); // equal grants are in order of their ids
      const unknown = columns.column(`${order}.funder_state`).slice(0, states + 1);
      expect([...unknown]).toEqual(rows.map(() => states));
    }
  });
});

/** A text's bytes in hexadecimal: texts in this form sort as their bytes do. */
const encode = (text: string | null) => text && Buffer.from(text).toString("hex");

/** The values without null, in order. */
function distinct<Value extends string | number>(values: readonly (Value | null)[]): Value[] {
  const found = new Set(values.filter((value) => value !== null));
  return [...found].sort((one, other) => (one < other ? -1 : 1));
}

/** Positions of the records that have both patterns, by the columns of the index. An empty pattern is no filter. */
function findPositions(columns: Columns, patterns: Readonly<Record<TextFilter, string>>): number[] {
  const filters = (Object.keys(textColumns) as TextFilter[])
    .filter((filter) => patterns[filter] !== "")
    .map((filter) => {
      const { bits } = new Texts(columns, filter).find(patterns[filter], () => {});
      return { bits, ids: columns.column(`rank.${textColumns[filter]}`) };
    });
  const positions = columns.column("rank.position");
  const ranks = Array.from({ length: columns.header.records }, (_, rank) => rank);
  return ranks
    .filter((rank) => filters.every(({ bits, ids }) => hasBit(bits, ids.at(rank))))
    .map((rank) => positions.at(rank));
}
