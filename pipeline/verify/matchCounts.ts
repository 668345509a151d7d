// Counts the records that match each of many searches, in one pass over the table of all records in the index. Verification compares the
// table with `records` itself.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Filters, type PlaceFilter, placeFilters, placesOf } from "../../api-static/contract/filters.ts";
import { canonicalTextSql } from "../../api-static/contract/text.ts";
import type { TextFilter } from "../../api-static/release/columns.ts";
import { dictionaries } from "../../api-static/release/layout.ts";
import { integersOf, streamChunks } from "../base/database.ts";

/** The place of a record in the result order. */
export type Key = { readonly year: number; readonly cents: bigint; readonly id: bigint };

/** A search, and the records of a page of it. */
export type CountedSearch = {
  readonly request: { readonly filters: Filters };
  readonly page: readonly Key[];
};

/** Matches of a search: all of them, those before its page, those up to the end of its page, and those that are on its page. */
export type MatchCount = {
  readonly total: number;
  readonly before: number;
  readonly upTo: number;
  readonly onPage: number;
};

/** Distinct patterns of a text filter, at most: each has a bit of a 32-bit integer, and there are two text filters. */
export const maxPatterns = 16;

const recordsSql = `SELECT funder_ein::INTEGER, coalesce(recipient_ein, 0)::INTEGER, transaction_year::INTEGER,
  coalesce(type, (SELECT count(*) FROM types))::INTEGER,
  coalesce(purpose, (SELECT count(*) FROM purposes))::INTEGER,
  coalesce(recipient_name, (SELECT count(*) FROM recipient_names))::INTEGER, amount_cents, id,
  ${Object.values(placeFilters)
    .map((column) => `coalesce(${column}, (SELECT count(*) FROM states))::INTEGER`)
    .join(", ")} FROM by_funder`;

/** What is compared of some records, one value for each. 64-bit integers are two values, the lower half first. */
type Rows = {
  readonly funders: Int32Array;
  readonly years: Int32Array;
  readonly types: Int32Array;
  /** The patterns that their texts contain: bits. */
  readonly patterns: Int32Array;
  readonly cents: Int32Array;
  readonly ids: Int32Array;
  /** The ids of the states of funders and of recipients. */
  readonly states: Readonly<Record<PlaceFilter, Int32Array>>;
};

/**
 * Counts the matches of each search, in order.
 * @param connection whose current database is the index
 */
export async function countMatches(
  connection: DuckDBConnection,
  searches: readonly CountedSearch[],
): Promise<MatchCount[]> {
  const purposes = await findPatterns(connection, "purpose", searches, 0);
  const names = await findPatterns(connection, "recipientName", searches, maxPatterns);
  const types = await findTypes(connection, searches);
  const states = await findStates(connection);
  const counters = searches.map((search) => {
    const { purpose, recipientName, type } = search.request.filters;
    const patterns = purposes.bitOf(purpose) | names.bitOf(recipientName);
    return new Counter(search, patterns, type === undefined ? undefined : types.get(type), states);
  });
  const others = counters.filter(({ recipients }) => recipients.length === 0);
  const byRecipient = new Map<number, Counter[]>();
  for (const counter of counters)
    for (const ein of counter.recipients) byRecipient.set(ein, [...(byRecipient.get(ein) ?? []), counter]);
  for await (const chunk of streamChunks(connection, recordsSql)) {
    const column = (index: number) => integersOf(chunk, index);
    const [recipients, purposeIds, nameIds] = [column(1), column(4), column(5)];
    let found = 0;
    const patterns = purposeIds.map((id, row) => {
      const bits = (purposes.bits[id] as number) | (names.bits[nameIds[row] as number] as number);
      found |= bits;
      return bits;
    });
    const [types, cents, ids] = [column(3), column(6), column(7)];
    const rows = {
      ...{ funders: column(0), years: column(2), types, patterns, cents, ids },
      states: { funderState: column(8), recipientState: column(9) },
    };
    for (const counter of others)
      if ((found & counter.patterns) === counter.patterns) counter.count(rows, 0, recipients.length);
    for (let row = 0; row < recipients.length; row++)
      for (const counter of byRecipient.get(recipients[row] as number) ?? none)
        counter.count(rows, row, row + 1);
  }
  return counters;
}

const none: readonly Counter[] = [];

/** The bits of the patterns that each text of a dictionary contains, by its id, then 0 for none. */
type PatternBits = {
  readonly bits: Int32Array;
  /** The bit of a pattern; 0 without a pattern. */
  readonly bitOf: (pattern: string | undefined) => number;
};

async function findPatterns(
  connection: DuckDBConnection,
  filter: TextFilter,
  searches: readonly CountedSearch[],
  firstBit: number,
): Promise<PatternBits> {
  const patterns = [...new Set(searches.flatMap(({ request }) => request.filters[filter] ?? []))];
  const sums = patterns.map((_, bit) => `(contains(text, $pattern_${bit})::INTEGER << ${bit})`);
  const sql = `SELECT ${["0", ...sums].join(" | ")} FROM ${dictionaries[filter].texts}`;
  const values = Object.fromEntries(patterns.map((pattern, bit) => [`pattern_${bit}`, pattern]));
  const chunks: Int32Array[] = [];
  for await (const chunk of streamChunks(connection, sql, values)) chunks.push(integersOf(chunk, 0).slice());
  const bits = new Int32Array(chunks.reduce((sum, { length }) => sum + length, 0) + 1);
  let texts = 0;
  for (const chunk of chunks) {
    bits.set(chunk, texts);
    texts += chunk.length;
  }
  for (let id = 0; id < texts; id++) bits[id] = (bits[id] as number) << firstBit;
  const bitOf = (pattern: string | undefined) =>
    pattern === undefined ? 0 : 1 << (firstBit + patterns.indexOf(pattern));
  return { bits, bitOf };
}

/** For each type filter of the searches, the ids of the types that match it. */
async function findTypes(
  connection: DuckDBConnection,
  searches: readonly CountedSearch[],
): Promise<Map<string, ReadonlySet<number>>> {
  const found = new Map<string, ReadonlySet<number>>();
  for (const type of new Set(searches.flatMap(({ request }) => request.filters.type ?? []))) {
    const sql = `SELECT id FROM types WHERE ${canonicalTextSql("text")} = $type`;
    const ids = (await connection.runAndReadAll(sql, { type })).getRows();
    found.set(type, new Set(ids.map(([id]) => Number(id))));
  }
  return found;
}

/** The ids of states. */
async function findStates(connection: DuckDBConnection): Promise<ReadonlyMap<string, number>> {
  const states = (await connection.runAndReadAll("SELECT text, id FROM states")).getRows();
  return new Map(states.map(([text, id]) => [String(text), Number(id)]));
}

/** Counts the matches of a search. An empty list stands for no filter. */
class Counter implements MatchCount {
  total = 0;
  before = 0;
  upTo = 0;
  onPage = 0;
  readonly recipients: readonly number[];
  readonly patterns: number;
  readonly #funders: readonly number[];
  readonly #minYear: number;
  readonly #maxYear: number;
  readonly #types: ReadonlySet<number> | undefined;
  readonly #states: readonly (readonly [PlaceFilter, number])[];
  readonly #page: ReadonlySet<bigint>;
  readonly #least: Halves;
  readonly #most: Halves;
  readonly #first: KeyHalves | undefined;
  readonly #last: KeyHalves | undefined;

  constructor(
    { request: { filters }, page }: CountedSearch,
    patterns: number,
    types: ReadonlySet<number> | undefined,
    states: ReadonlyMap<string, number>,
  ) {
    const { funderEin, recipientEin, transactionYear } = filters;
    this.recipients = (filters.recipientEins ?? (recipientEin ? [recipientEin] : [])).map(Number);
    this.#funders = (filters.funderEins ?? (funderEin ? [funderEin] : [])).map(Number);
    this.#minYear = transactionYear ?? filters.minYear ?? 0;
    this.#maxYear = transactionYear ?? filters.maxYear ?? 9999;
    this.patterns = patterns;
    this.#types = types;
    this.#states = placesOf(filters).map((filter) => [filter, states.get(filters[filter] as string) ?? -1]);
    this.#page = new Set(page.map(({ id }) => id));
    this.#least = halvesOf(filters.minAmountCents ?? -(2n ** 63n));
    this.#most = halvesOf(filters.maxAmountCents ?? 2n ** 63n - 1n);
    this.#first = page[0] && keyHalvesOf(page[0]);
    this.#last = page.at(-1) && keyHalvesOf(page.at(-1) as Key);
  }

  /** Counts the matches among the rows `from` to `to`, which are in order of their funders. */
  count(rows: Rows, from: number, to: number): void {
    const { funders, years, types, patterns, cents } = rows;
    const [wanted, minYear, maxYear] = [this.patterns, this.#minYear, this.#maxYear];
    const [first, last] = [funders[from] as number, funders[to - 1] as number];
    const anyOf = this.#funders.filter((funder) => funder >= first && funder <= last);
    const isOfAll = this.#funders.length === 0;
    if (!isOfAll && anyOf.length === 0) return;
    for (let row = from; row < to; row++) {
      if (((patterns[row] as number) & wanted) !== wanted) continue;
      const year = years[row] as number;
      if (year < minYear || year > maxYear) continue;
      if (!isOfAll && !anyOf.includes(funders[row] as number)) continue;
      if (this.#types?.has(types[row] as number) === false) continue;
      if (!this.#states.every(([filter, id]) => rows.states[filter][row] === id)) continue;
      if (compare(cents, row, this.#least) < 0 || compare(cents, row, this.#most) > 0) continue;
      this.total += 1;
      const isBefore = this.#first !== undefined && compareKeys(rows, row, this.#first) < 0;
      const isUpTo = this.#last !== undefined && compareKeys(rows, row, this.#last) <= 0;
      if (isBefore) this.before += 1;
      if (isUpTo) this.upTo += 1;
      if (isUpTo && !isBefore && this.#page.has(readId(rows.ids, row))) this.onPage += 1;
    }
  }
}

/** The signed upper and the unsigned lower half of a 64-bit integer. */
type Halves = { readonly high: number; readonly low: number };

type KeyHalves = { readonly year: number; readonly cents: Halves; readonly id: Halves };

function halvesOf(value: bigint): Halves {
  return { high: Number(value >> 32n), low: Number(BigInt.asUintN(32, value)) };
}

function keyHalvesOf({ year, cents, id }: Key): KeyHalves {
  return { year, cents: halvesOf(cents), id: halvesOf(id) };
}

/** Less than 0 if a record comes before a key in the result order. */
function compareKeys({ years, cents, ids }: Rows, row: number, key: KeyHalves): number {
  return key.year - (years[row] as number) || -compare(cents, row, key.cents) || compare(ids, row, key.id);
}

function readId(ids: Int32Array, row: number): bigint {
  return (BigInt(ids[2 * row + 1] as number) << 32n) | BigInt((ids[2 * row] as number) >>> 0);
}

function compare(integers: Int32Array, row: number, { high, low }: Halves): number {
  return (integers[2 * row + 1] as number) - high || ((integers[2 * row] as number) >>> 0) - low;
}
