// Owns the way of a search: filters → texts that meet them → plan → total and positions, through DuckDB.
import type { DuckDBValue } from "@duckdb/node-api";
import type { Ein } from "../ein.ts";
import { dictionaries } from "../layout.ts";
import type { Filters } from "../request.ts";
import { type Page, readPage } from "./page.ts";
import {
  conditions,
  type Known,
  onEins,
  planSearch,
  planWalk,
  type Ranks,
  type TextFilter,
  textFilters,
} from "./plan.ts";
import { formatSpan, formatWalk } from "./planSql.ts";
import type { SearchQueue } from "./searchQueue.ts";
import { type Session, Sessions } from "./sessions.ts";
import { findTexts, planTexts, type TextPlan } from "./texts.ts";
import { Words } from "./words.ts";

/** Rows of a projection, from one to before another. */
export type Span = { readonly from: number; readonly to: number };

/** A page, and how it was found, for people, e.g., "purpose by words; top of by_rank". */
export type Found = Page & { readonly plan: string };

type Texts = Readonly<Record<TextFilter, { words: Words; texts: number }>>;

/** The index of an open release. */
export class Search {
  readonly sessions: Sessions;
  readonly #records: number;
  readonly #years: ReadonlyMap<number, Ranks>;
  readonly #texts: Texts;

  private constructor(sessions: Sessions, records: number, years: ReadonlyMap<number, Ranks>, texts: Texts) {
    this.sessions = sessions;
    this.#records = records;
    this.#years = years;
    this.#texts = texts;
  }

  /**
   * @param path of `index.duckdb`
   * @param queue that searches take their turn in
   */
  static async open(path: string, queue?: SearchQueue): Promise<Search> {
    const sessions = await Sessions.open(path, queue);
    try {
      return await sessions.useAtOnce(async (session) => {
        const read = async (filter: TextFilter) => ({
          words: await Words.read(session, dictionaries[filter]),
          texts: await countRows(session, dictionaries[filter].texts),
        });
        const texts = { purpose: await read("purpose"), recipientName: await read("recipientName") };
        return new Search(sessions, await countRows(session, "by_rank"), await readYears(session), texts);
      });
    } catch (error) {
      sessions.close();
      throw error;
    }
  }

  /** The total of all records that meet the filters, and the positions of one page of them, in result order. */
  find(filters: Filters, limit: number, offset: number, client?: AbortSignal): Promise<Found> {
    return this.sessions.use(async (session) => {
      const { known, ways } = await this.#findTexts(session, filters);
      if (textFilters.some((filter) => known[filter]?.records === 0))
        return { total: 0, positions: [], plan: ways.join("; ") };
      const plan = planSearch(filters, known, limit, offset);
      const page = await readPage(session, plan, bindable(filters), limit, offset);
      const projection = "projection" in plan ? plan.projection : "by_rank";
      return { ...page, plan: [...ways, `${plan.way} of ${projection}`].join("; ") };
    }, client);
  }

  /** The positions of a recipient's records, in result order; undefined when it has more than `most`. */
  findRecipient(recipientEin: Ein, most: number, client?: AbortSignal): Promise<number[] | undefined> {
    return this.sessions.use(async (session) => {
      const sql = `SELECT position FROM by_recipient WHERE ${conditions.recipientEin} LIMIT $limit`;
      const positions = await session.readColumn(sql, { ...bindable({ recipientEin }), limit: most + 1 });
      return positions.length > most ? undefined : positions.map(Number);
    }, client);
  }

  /** The rows between which all records lie that meet the filters, in the projection that `findWithin` reads. */
  findSpan(filters: Filters, client?: AbortSignal): Promise<Span> {
    return this.sessions.use(async (session) => {
      const sql = formatSpan(planWalk(filters, this.#knownBefore(filters)));
      const [[from, to] = []] = await session.readRows(sql, bindable(onEins(filters)));
      return { from: Number(from), to: Number(to) };
    }, client);
  }

  /** The first `limit` records of a span that meet the filters, in result order: their rows and positions. */
  findWithin(
    filters: Filters,
    { from, to }: Span,
    limit: number,
    client?: AbortSignal,
  ): Promise<{ rows: readonly number[]; positions: readonly number[] }> {
    return this.sessions.use(async (session) => {
      const { known } = await this.#findTexts(session, filters);
      if (textFilters.some((filter) => known[filter]?.records === 0)) return { rows: [], positions: [] };
      const values = { ...bindable(filters), from, to, limit };
      const sql = formatWalk(planWalk(filters, known));
      const [rows = [], positions = []] = await session.readColumns(sql, values);
      return { rows: rows.map(Number), positions: positions.map(Number) };
    }, client);
  }

  close(): void {
    this.sessions.close();
  }

  #knownBefore({ transactionYear }: Filters): Known {
    const all = { first: 0, records: this.#records };
    if (transactionYear === undefined) return { all };
    return { all, year: this.#years.get(transactionYear) ?? { first: 0, records: 0 } };
  }

  /** Finds the texts that meet the text filters, and what else is known. */
  async #findTexts(session: Session, filters: Filters): Promise<{ known: Known; ways: string[] }> {
    const ways: string[] = [];
    let known = this.#knownBefore(filters);
    for (const filter of textFilters) {
      const pattern = filters[filter];
      if (pattern === undefined) continue;
      const { words, texts } = this.#texts[filter];
      const plan: TextPlan = planTexts(words, texts, pattern);
      known = { ...known, [filter]: await findTexts(session, dictionaries[filter], plan, pattern) };
      ways.push(`${dictionaries[filter].column} by ${plan.way}`);
      if (known[filter]?.records === 0) break;
    }
    return { known, ways };
  }
}

/** The ranks of each year. */
async function readYears(session: Session): Promise<Map<number, Ranks>> {
  const [years = [], firsts = [], records = []] = await session.readColumns(
    "SELECT transaction_year, min(rowid)::DOUBLE, count(*)::DOUBLE FROM by_rank GROUP BY transaction_year",
    {},
  );
  return new Map(
    years.map((year, index) => [
      Number(year),
      { first: Number(firsts[index]), records: Number(records[index]) },
    ]),
  );
}

async function countRows(session: Session, table: string): Promise<number> {
  return Number((await session.readColumn(`SELECT count(*)::DOUBLE FROM ${table}`, {}))[0]);
}

/** The values of filters on columns; those on text are met by what was found. */
function bindable({
  funderEin,
  recipientEin,
  transactionYear,
  minAmountCents,
}: Filters): Record<string, DuckDBValue> {
  const values: Record<string, DuckDBValue> = {};
  if (funderEin !== undefined) values.funderEin = Number(funderEin);
  if (recipientEin !== undefined) values.recipientEin = Number(recipientEin);
  if (transactionYear !== undefined) values.transactionYear = transactionYear;
  if (minAmountCents !== undefined) values.minAmountCents = minAmountCents;
  return values;
}
