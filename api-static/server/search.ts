// Owns the way of a search: filters → texts that meet them → plan → total and positions, through DuckDB.
import type { DuckDBValue } from "@duckdb/node-api";
import type { Ein } from "../ein.ts";
import { dictionaries, recordsMax } from "../layout.ts";
import type { Filters } from "../request.ts";
import {
  conditions,
  formatCount,
  formatPage,
  formatSpan,
  formatWindow,
  type Known,
  onEins,
  type PagePlan,
  planPage,
  planSearch,
  type TextFilter,
  textFilters,
} from "./plan.ts";
import type { SearchQueue } from "./searchQueue.ts";
import { type Session, Sessions } from "./sessions.ts";
import { findTexts, planTexts, type TextPlan } from "./texts.ts";
import { Words } from "./words.ts";

/** Rows of a projection, from one to before another. */
export type Span = { readonly from: number; readonly to: number };

export type Found = {
  readonly total: number;
  readonly positions: readonly number[];
  /** How it was found, for people, e.g., "purpose by words; by_rank". */
  readonly plan: string;
};

/** The index of an open release. */
export class Search {
  readonly sessions: Sessions;
  readonly #records: number;
  readonly #texts: Readonly<Record<TextFilter, { words: Words; texts: number }>>;

  private constructor(
    sessions: Sessions,
    records: number,
    texts: Readonly<Record<TextFilter, { words: Words; texts: number }>>,
  ) {
    this.sessions = sessions;
    this.#records = records;
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
        return new Search(sessions, await countRows(session, "by_rank"), texts);
      });
    } catch (error) {
      sessions.close();
      throw error;
    }
  }

  /** The total of all records that meet the filters, and the positions of one page of them, in result order. */
  find(filters: Filters, limit: number, offset: number, signal?: AbortSignal): Promise<Found> {
    return this.sessions.use(async (session) => {
      const { known, ways } = await this.#findTexts(session, filters);
      if (textFilters.some((filter) => known[filter]?.records === 0))
        return { total: 0, positions: [], plan: ways.join("; ") };
      const plan = planSearch(filters, known);
      const values = bindable(filters);
      const total = plan.total ?? Number((await session.readColumn(formatCount(plan), values))[0]);
      const way = [...ways, plan.projection];
      if (offset >= total) return { total, positions: [], plan: way.join("; ") };
      const page = planPage(plan, known, total, limit, offset);
      if (page.plan.projection !== plan.projection) way.push(page.plan.projection);
      const positions = await readPage(
        session,
        page,
        { ...values, limit, offset },
        Math.min(limit, total - offset),
      );
      return { total, positions, plan: way.join("; ") };
    }, signal);
  }

  /** The positions of a recipient's records, in result order; undefined when it has more than `most`. */
  findRecipient(recipientEin: Ein, most: number, signal?: AbortSignal): Promise<number[] | undefined> {
    return this.sessions.use(async (session) => {
      const sql = `SELECT position FROM by_recipient WHERE ${conditions.recipientEin} LIMIT $limit`;
      const positions = await session.readColumn(sql, { ...bindable({ recipientEin }), limit: most + 1 });
      return positions.length > most ? undefined : positions.map(Number);
    }, signal);
  }

  /** The rows between which all records lie that meet the filters, in the projection that `findWithin` reads. */
  findSpan(filters: Filters, signal?: AbortSignal): Promise<Span> {
    return this.sessions.use(async (session) => {
      const [[from, to] = []] = await session.readRows(formatSpan(filters), bindable(onEins(filters)));
      return { from: Number(from), to: Number(to) };
    }, signal);
  }

  /** The first `limit` records of a span that meet the filters, in result order: their rows and positions. */
  findWithin(
    filters: Filters,
    { from, to }: Span,
    limit: number,
    signal?: AbortSignal,
  ): Promise<{ rows: readonly number[]; positions: readonly number[] }> {
    return this.sessions.use(async (session) => {
      const { known } = await this.#findTexts(session, filters);
      if (textFilters.some((filter) => known[filter] === 0)) return { rows: [], positions: [] };
      const values = { ...bindable(filters), from, to, limit };
      const [rows = [], positions = []] = await session.readColumns(formatWindow(filters), values);
      return { rows: rows.map(Number), positions: positions.map(Number) };
    }, signal);
  }

  close(): void {
    this.sessions.close();
  }

  /** Finds the texts that meet the text filters, for the conditions of the plan. */
  async #findTexts(session: Session, filters: Filters): Promise<{ known: Known; ways: string[] }> {
    const ways: string[] = [];
    let known: Known = { records: this.#records };
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

/** The positions of a page; where they are looked for among the first rows, further and further until all are found. */
async function readPage(
  session: Session,
  page: PagePlan,
  values: Record<string, DuckDBValue>,
  expected: number,
): Promise<number[]> {
  let { reach } = page;
  for (;;) {
    const positions = await session.readColumn(formatPage({ ...page, reach }), values);
    if (reach === undefined || positions.length === expected) return positions.map(Number);
    reach = reach < recordsMax ? reach * 4 : undefined;
  }
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
