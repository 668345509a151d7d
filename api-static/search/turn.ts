// Finds records in one turn: filters → texts that meet them → plan → total and positions, through one session.
import type { Ein } from "../contract/ein.ts";
import type { Filters } from "../contract/filters.ts";
import { dictionaries } from "../release/layout.ts";
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
import { readPage, readTotal } from "./positions.ts";
import { type Session, type Variables, variable } from "./sessions.ts";
import { costOf, planTexts, type TextPlan } from "./textPlan.ts";
import { findTexts, findTextsAmong, isFoundSql } from "./texts.ts";
import type { Words } from "./words.ts";

/** Rows of a projection: `from` up to, but not including, `to`. */
export type Span = { readonly from: number; readonly to: number };

/** A page of a search. */
export type FoundPage = {
  /** All records that meet the filters. */
  readonly total: number;
  /** Positions of the page's records, in result order. */
  readonly positions: readonly number[];
  /** How they were found, for people, e.g., "purpose by words; top of by_rank". */
  readonly plan: string;
};

/** What is read once, when an index is opened. */
export type IndexFacts = {
  readonly records: number;
  readonly years: ReadonlyMap<number, Ranks>;
  /** For each text filter, the words of its dictionary, and the number of its texts. */
  readonly texts: Readonly<Record<TextFilter, { readonly words: Words; readonly texts: number }>>;
};

/** If at most this many records meet one text filter, the other filter checks only the texts of those records. */
const maxAmong = 200;

/** The searches of one request. They share a session, a place in the queue and a time limit. */
export class SearchTurn {
  readonly #session: Session;
  readonly #facts: IndexFacts;

  constructor(session: Session, facts: IndexFacts) {
    this.#session = session;
    this.#facts = facts;
  }

  /** The total of all records that meet the filters, and the positions of one page of them, in result order. */
  async find(filters: Filters, limit: number, offset: number): Promise<FoundPage> {
    const { known, ways } = await this.#findTexts(filters);
    if (isNoTextFound(known)) return { total: 0, positions: [], plan: ways.join("; ") };
    const values = { ...variables(filters), limit, offset };
    const count = planCount(filters, known);
    if (typeof count !== "number") ways.push(`count of ${count.projection}`);
    const total = typeof count === "number" ? count : await readTotal(this.#session, count, values);
    if (offset >= total) return { total, positions: [], plan: ways.join("; ") };
    const plan = planPage(filters, known, total, limit, offset);
    ways.push(`${plan.way} of ${"projection" in plan ? plan.projection : "by_rank"}`);
    return { total, positions: await readPage(this.#session, plan, total, values), plan: ways.join("; ") };
  }

  /** The positions of a recipient's records, in result order; undefined if it has more than `maxRecords`. */
  async findRecipient(recipientEin: Ein, maxRecords: number): Promise<number[] | undefined> {
    const sql = `SELECT position FROM by_recipient WHERE ${conditions.recipientEin} LIMIT ${variable("limit")}`;
    const values = { ...variables({ recipientEin }), limit: maxRecords + 1 };
    const [positions = []] = await this.#session.readPlanned(sql, values);
    return positions.length > maxRecords ? undefined : positions.map(Number);
  }

  /** The rows that contain all records that meet the filters, in the projection that `findWithin` reads. */
  async findSpan(filters: Filters): Promise<Span> {
    const sql = formatSpan(planWalk(filters, this.#knownBefore(filters)));
    const [[from] = [], [to] = []] = await this.#session.readPlanned(sql, variables(onEins(filters)));
    return { from: Number(from), to: Number(to) };
  }

  /** The first `limit` records of a span that meet the filters, in result order: their rows and positions. */
  async findWithin(
    filters: Filters,
    { from, to }: Span,
    limit: number,
  ): Promise<{ rows: readonly number[]; positions: readonly number[] }> {
    const { known } = await this.#findTexts(filters);
    if (isNoTextFound(known)) return { rows: [], positions: [] };
    const values = { ...variables(filters), from, to, limit };
    const sql = formatWalk(planWalk(filters, known));
    const [rows = [], positions = []] = await this.#session.readPlanned(sql, values);
    return { rows: rows.map(Number), positions: positions.map(Number) };
  }

  #knownBefore({ transactionYear }: Filters): Known {
    const { records, years } = this.#facts;
    const all = { first: 0, records };
    if (transactionYear === undefined) return { all };
    return { all, year: years.get(transactionYear) ?? { first: 0, records: 0 } };
  }

  /** Finds the texts that meet the text filters, the rarer filter first, and what else is known before the search. */
  async #findTexts(filters: Filters): Promise<{ known: Known; ways: string[] }> {
    const ways: string[] = [];
    let known = this.#knownBefore(filters);
    let among: string | undefined;
    for (const { filter, pattern, plan } of await this.#planTexts(filters)) {
      const dictionary = dictionaries[filter];
      const ids: string | undefined =
        among && costOf(plan) > maxAmong ? `SELECT ${dictionary.column} ${among}` : undefined;
      const found =
        ids === undefined
          ? await findTexts(this.#session, dictionary, plan, pattern)
          : await findTextsAmong(this.#session, dictionary, ids, pattern);
      known = { ...known, [filter]: found };
      ways.push(`${dictionary.column} by ${ids === undefined ? plan.way : "rows"}`);
      if (found.records === 0) break;
      if (found.records <= maxAmong)
        among = `FROM ${dictionary.projection} WHERE ${isFoundSql(dictionary, found)}`;
    }
    return { known, ways };
  }

  /** How the texts of each text filter are found, the rarest first. */
  async #planTexts(filters: Filters): Promise<{ filter: TextFilter; pattern: string; plan: TextPlan }[]> {
    const planned: { filter: TextFilter; pattern: string; plan: TextPlan }[] = [];
    for (const filter of textFilters) {
      const pattern = filters[filter];
      if (pattern === undefined) continue;
      const { words, texts } = this.#facts.texts[filter];
      planned.push({ filter, pattern, plan: await planTexts(words, texts, pattern, this.#session.signal) });
    }
    return planned.sort((a, b) => costOf(a.plan) - costOf(b.plan));
  }
}

/** True if a text filter is met by no text, so no record meets the filters. */
function isNoTextFound(known: Known): boolean {
  return textFilters.some((filter) => known[filter]?.records === 0);
}

/** The values of filters on columns. Text filters have none: their texts are found first. */
function variables({ funderEin, recipientEin, transactionYear, minAmountCents }: Filters): Variables {
  const values: Record<string, number | bigint> = {};
  if (funderEin !== undefined) values.funderEin = Number(funderEin);
  if (recipientEin !== undefined) values.recipientEin = Number(recipientEin);
  if (transactionYear !== undefined) values.transactionYear = transactionYear;
  if (minAmountCents !== undefined) values.minAmountCents = minAmountCents;
  return values;
}
