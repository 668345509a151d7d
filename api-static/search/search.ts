// Owns the way of a search: filters → texts that meet them → plan → total and positions, through DuckDB.
import type { Ein } from "../contract/ein.ts";
import type { Filters } from "../contract/filters.ts";
import { dictionaries } from "../release/layout.ts";
import { readPage, readTotal } from "./page.ts";
import {
  conditions,
  type Known,
  onEins,
  planCount,
  planPage,
  planWalk,
  type Ranks,
  type TextFilter,
  textFilters,
} from "./plan.ts";
import { formatSpan, formatWalk } from "./planSql.ts";
import type { SearchQueue } from "./queue.ts";
import { type Session, Sessions, type Variables, variable } from "./sessions.ts";
import { costOf, planTexts, type TextPlan } from "./textPlan.ts";
import { findTexts, findTextsAmong, isFoundSql } from "./texts.ts";
import { Words } from "./words.ts";

/** Rows of a projection, from one to before another. */
export type Span = { readonly from: number; readonly to: number };

/** A page of a search. */
export type Found = {
  /** The records that meet the filters in all. */
  readonly total: number;
  /** Positions of the page's records, in result order. */
  readonly positions: readonly number[];
  /** How they were found, for people, e.g., "purpose by words; top of by_rank". */
  readonly plan: string;
};

/** Records that meet one text filter up to which their other texts are looked at, not all. */
const amongMost = 200;

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
      const values = { ...variables(filters), limit, offset };
      const count = planCount(filters, known);
      if (typeof count !== "number") ways.push(`count of ${count.projection}`);
      const total = typeof count === "number" ? count : await readTotal(session, count, values);
      if (offset >= total) return { total, positions: [], plan: ways.join("; ") };
      const plan = planPage(filters, known, total, limit, offset);
      ways.push(`${plan.way} of ${"projection" in plan ? plan.projection : "by_rank"}`);
      return { total, positions: await readPage(session, plan, total, values), plan: ways.join("; ") };
    }, client);
  }

  /** The positions of a recipient's records, in result order; undefined when it has more than `most`. */
  findRecipient(recipientEin: Ein, most: number, client?: AbortSignal): Promise<number[] | undefined> {
    return this.sessions.use(async (session) => {
      const sql = `SELECT position FROM by_recipient WHERE ${conditions.recipientEin} LIMIT ${variable("limit")}`;
      const values = { ...variables({ recipientEin }), limit: most + 1 };
      const [positions = []] = await session.readPlanned(sql, values);
      return positions.length > most ? undefined : positions.map(Number);
    }, client);
  }

  /** The rows between which all records lie that meet the filters, in the projection that `findWithin` reads. */
  findSpan(filters: Filters, client?: AbortSignal): Promise<Span> {
    return this.sessions.use(async (session) => {
      const sql = formatSpan(planWalk(filters, this.#knownBefore(filters)));
      const [[from] = [], [to] = []] = await session.readPlanned(sql, variables(onEins(filters)));
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
      const values = { ...variables(filters), from, to, limit };
      const sql = formatWalk(planWalk(filters, known));
      const [rows = [], positions = []] = await session.readPlanned(sql, values);
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

  /** Finds the texts that meet the text filters, the rarer first, and what else is known. */
  async #findTexts(session: Session, filters: Filters): Promise<{ known: Known; ways: string[] }> {
    const ways: string[] = [];
    let known = this.#knownBefore(filters);
    let among: string | undefined;
    for (const { filter, pattern, plan } of this.#planTexts(filters)) {
      const dictionary = dictionaries[filter];
      const ids: string | undefined =
        among && costOf(plan) > amongMost ? `SELECT ${dictionary.column} ${among}` : undefined;
      const found =
        ids === undefined
          ? await findTexts(session, dictionary, plan, pattern)
          : await findTextsAmong(session, dictionary, ids, pattern);
      known = { ...known, [filter]: found };
      ways.push(`${dictionary.column} by ${ids === undefined ? plan.way : "rows"}`);
      if (found.records === 0) break;
      if (found.records <= amongMost)
        among = `FROM ${dictionary.projection} WHERE ${isFoundSql(dictionary, found)}`;
    }
    return { known, ways };
  }

  /** How the texts of each text filter are found, the rarest first. */
  #planTexts(filters: Filters): { filter: TextFilter; pattern: string; plan: TextPlan }[] {
    return textFilters
      .flatMap((filter) => {
        const pattern = filters[filter];
        const { words, texts } = this.#texts[filter];
        return pattern === undefined ? [] : [{ filter, pattern, plan: planTexts(words, texts, pattern) }];
      })
      .sort((one, other) => costOf(one.plan) - costOf(other.plan));
  }
}

/** The ranks of each year. */
async function readYears(session: Session): Promise<Map<number, Ranks>> {
  const [years = [], firsts = [], records = []] = await session.readColumns(
    "SELECT transaction_year, min(rank)::DOUBLE, count(*)::DOUBLE FROM by_rank GROUP BY transaction_year",
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
function variables({ funderEin, recipientEin, transactionYear, minAmountCents }: Filters): Variables {
  const values: Record<string, number | bigint> = {};
  if (funderEin !== undefined) values.funderEin = Number(funderEin);
  if (recipientEin !== undefined) values.recipientEin = Number(recipientEin);
  if (transactionYear !== undefined) values.transactionYear = transactionYear;
  if (minAmountCents !== undefined) values.minAmountCents = minAmountCents;
  return values;
}
