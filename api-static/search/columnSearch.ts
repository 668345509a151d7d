// Searches the columns of a release: filters → spans of rows and conditions → plan → matches → page, or all matches.
import { lineEnd } from "../contract/answers/envelope.ts";
import { meetsFilters } from "../contract/filters/table.ts";
import type { Filters } from "../contract/filters.ts";
import { type Columns, maxBlock } from "../release/columns.ts";
import type { Records } from "../release/records.ts";
import { Amounts, findByAmount, type YearRows } from "./amounts.ts";
import { countSpans, cutSpans, keepRows, readSpans } from "./bits.ts";
import type { VisitMatches } from "./collect.ts";
import { type Asked, Conditions, type FoundCondition, hasConditions, inIndexOnly } from "./conditions.ts";
import { findRows, meetsConditions } from "./hits.ts";
import { Lists, Orders } from "./orders.ts";
import { type Known, maxGathered, maxRead, planSearch, type SearchPlan } from "./plan.ts";
import { type FoundRows, type Ranges, Rows } from "./rows.ts";
import { newJob, Scan, type ScanJob } from "./scan.ts";
import type { Checkpoint } from "./texts.ts";

/** The filters of a search as they are sent to a thread. */
export type ColumnFilters = Omit<Filters, "funderEin" | "recipientEin"> & Ranges & Asked;

/** A search as it is sent to a thread: filters, and the page to find. */
export type ColumnRequest = ColumnFilters & { readonly offset: number; readonly limit: number };

export type ColumnAnswer = {
  /** All matching records. A walk does not count them. */
  readonly total: number;
  /** The positions of the page's records, in result order. */
  readonly positions: number[];
  /** The id of the text of each record's match, or -1 if it was filed with its EIN; absent if no match was looked for, or found. */
  readonly matches?: readonly number[] | undefined;
  /** The row from which a walk continues; undefined if it has ended. */
  readonly next: number | undefined;
  /** How the page was found, for people, e.g., "purpose by words; scan of rank". */
  readonly plan: string;
};

/** How a search runs in a thread. */
export type SearchControl = {
  /** Called now and then while a search runs; throws to end it. */
  readonly checkpoint: Checkpoint;
  /** Asks another thread to take part in a scan. */
  readonly askHelp: (job: ScanJob) => void;
  /** Rows from which another thread is asked to help with a scan. */
  readonly sharedRows: number;
};

/** A search whose rows and conditions are found. */
type Found = FoundRows & {
  readonly request: ColumnRequest;
  readonly conditions: readonly FoundCondition[];
  readonly known: Known;
};

/** The rows of a page, and the total of all matches. */
type Matches = { readonly total: number; readonly rows: readonly number[] };

/** Rows of a year that are read first for a page by amount. */
const firstBlock = 1_024;

/** The columns of one release, as one thread uses them. */
export class ColumnSearch {
  readonly #columns: Columns;
  readonly #records: Records;
  readonly #orders: Orders;
  readonly #conditions: Conditions;
  readonly #rows: Rows;
  readonly #amounts: Amounts;
  readonly #lists: Lists;
  readonly #control: SearchControl;

  constructor(columns: Columns, records: Records, control: SearchControl) {
    this.#columns = columns;
    this.#records = records;
    this.#control = control;
    this.#orders = new Orders(columns);
    this.#amounts = new Amounts(columns);
    this.#conditions = new Conditions(columns, control.checkpoint);
    const found = { amounts: this.#amounts, conditions: this.#conditions };
    this.#rows = new Rows(columns, this.#orders, found);
    this.#lists = new Lists(this.#orders, this.#conditions, control.checkpoint);
  }

  find(request: ColumnRequest): ColumnAnswer {
    const found = this.#prepare(request);
    const { order, conditions } = found;
    const plan = planSearch(found.known, request.offset, request.limit);
    const { total, rows } = this.#findPage(found, plan);
    const ways = conditions.map(({ field, way }) => `${field} by ${way}`);
    return {
      total,
      positions: rows.map((row) => this.#orders.positionOf(order, row)),
      matches:
        order === "likely" ? rows.map((row) => this.#orders.column("likely.match").at(row)) : undefined,
      next: rows.length < request.limit ? undefined : (rows.at(-1) ?? 0) + 1,
      plan: [...ways, plan.way === "none" ? "none" : `${plan.way} of ${order}`].join("; "),
    };
  }

  /** All matches: how many there are at most, and how to visit them. */
  findMatches(filters: ColumnFilters): { readonly most: number; readonly visit: VisitMatches } {
    const found = this.#prepare({ ...filters, offset: 0, limit: Number.POSITIVE_INFINITY });
    const [rarest] = found.conditions;
    const most = Math.min(found.known.rows, rarest?.records ?? Number.POSITIVE_INFINITY);
    return { most, visit: (visit) => this.#visitMatches(found, visit) };
  }

  #visitMatches(found: Found, visit: (ranks: Int32Array) => void): void {
    const { order, spans } = found;
    const plan = planSearch(found.known, 0, Number.POSITIVE_INFINITY);
    if (plan.way === "none") return;
    const listed = this.#listMatches(found, plan);
    const conditions = this.#orders.openConditions(order, found.conditions);
    const rows = new Int32Array(Math.min(maxBlock, countSpans(spans)));
    const chunks = cutSpans(listed === undefined ? spans : Int32Array.of(0, listed.length), maxBlock);
    for (let chunk = 0; chunk < chunks.length; chunk += 2) {
      this.#control.checkpoint();
      const [from, to] = [chunks[chunk] as number, chunks[chunk + 1] as number];
      const matches = listed?.subarray(from, to) ?? findRows(conditions, from, to, rows);
      if (matches.length > 0) visit(this.#orders.ranksOf(order, matches));
    }
  }

  /** All matching rows, if they are few and need not be found in the spans. */
  #listMatches(found: Found, plan: SearchPlan): Int32Array | undefined {
    if (plan.way === "read") return this.#readRecords(found);
    return plan.way === "gather" ? this.#gather(found, plan.by) : undefined;
  }

  /** Takes part in a scan for another thread. */
  help(job: ScanJob): void {
    this.#openScan(job).countChunks();
  }

  #prepare(asked: ColumnRequest): Found {
    const request = this.#rows.withFunderState(asked);
    const { order, spans } = this.#rows.find(request);
    const rows = countSpans(spans);
    const isRead = rows <= maxRead;
    const conditions = this.#conditions.find(isRead ? inIndexOnly(request) : request);
    const known: Known = {
      rows,
      all: this.#columns.header.records,
      isRead,
      isByRank: order === "rank",
      isFiltered: hasConditions(request),
      isWalk: request.after !== undefined,
      found: conditions,
    };
    return { request, order, spans, conditions, known };
  }

  #findPage(found: Found, plan: SearchPlan): Matches {
    const { spans, request } = found;
    switch (plan.way) {
      case "none":
        return { total: plan.total, rows: [] };
      case "window":
        if (request.sort === "amount") return { total: countSpans(spans), rows: this.#findByAmount(found) };
        return { total: countSpans(spans), rows: readSpans(spans, request.offset, request.limit) };
      case "read":
        return this.#cutPage(found, this.#readRecords(found));
      case "gather":
        return this.#cutPage(found, this.#gather(found, plan.by));
      case "scan":
        return this.#scan(found, plan.total);
      case "count":
        return this.#countInLists(found, plan.by);
    }
  }

  /** The page of all matching rows, which are in result order. */
  #cutPage(found: Found, all: Int32Array): Matches {
    const { sort, offset, limit } = found.request;
    if (sort === "amount") return { total: all.length, rows: this.#findByAmount(found, all) };
    return { total: all.length, rows: [...all.subarray(offset, offset + limit)] };
  }

  /** The page by amount. @param all the matching rows; without them, they are found in the spans */
  #findByAmount(found: Found, all?: Int32Array): number[] {
    const { spans, request } = found;
    const years: YearRows[] = [];
    for (let span = 0; span < spans.length; span += 2) {
      const [from, to] = [spans[span] as number, spans[span + 1] as number];
      years.push(this.#readYear(found, from, to, all));
    }
    const { offset, limit } = request;
    return findByAmount(years, this.#amounts, offset + limit, this.#control.checkpoint).slice(offset);
  }

  /** The matching rows of a span, block by block: few at first, because most pages need few. */
  *#readYear(found: Found, from: number, to: number, all?: Int32Array): YearRows {
    const conditions = this.#orders.openConditions(found.order, found.conditions);
    const listed = all && keepRows(all, Int32Array.of(from, to));
    const [first, end] = listed === undefined ? [from, to] : [0, listed.length];
    for (let row = first, length = firstBlock; row < end; length = Math.min(2 * length, maxBlock)) {
      const stop = Math.min(row + length, end);
      const room = listed === undefined ? new Int32Array(stop - row) : none;
      const rows = listed?.subarray(row, stop) ?? findRows(conditions, row, stop, room);
      yield { rows, ranks: this.#orders.ranksOf(found.order, rows) };
      row = stop;
    }
  }

  /** The rows whose records match: the line of each that meets the conditions is checked. */
  #readRecords({ order, spans, request, conditions }: Found): Int32Array {
    const { funder, recipientEin, ...filters } = request;
    const rows = Int32Array.from(readSpans(spans, 0, maxRead));
    const open = this.#orders.openConditions(order, conditions);
    const all = rows.filter((row) => meetsConditions(open, row));
    const positions = Array.from(all, (row) => this.#orders.positionOf(order, row));
    const lines = this.#records.readLines(positions, this.#control.checkpoint).toString().split(lineEnd);
    return all.filter((_, index) => meetsFilters(String(lines[index]), filters));
  }

  /** Counts the rows that match, unless the total is known or not wanted; collects those of the page. */
  #scan(found: Found, total: number | undefined): Matches {
    const { spans, request, known } = found;
    const { offset, limit, sort } = request;
    if (sort === "amount" && total !== undefined) return { total, rows: this.#findByAmount(found) };
    const isCounting = !known.isWalk && total === undefined;
    const wanted = isCounting ? Number.POSITIVE_INFINITY : offset + limit;
    const share = total === undefined ? 1 : Math.min(1, wanted / total); // of the rows, until the page is full
    const job = newJob(spans, {
      conditions: this.#orders.conditionsOf(found.order, found.conditions),
      wanted,
    });
    const { scan, matches } = this.#count(job, share * countSpans(spans));
    if (sort === undefined) return { total: total ?? matches, rows: scan.collect(offset, limit) };
    const listed = matches > maxGathered ? undefined : Int32Array.from(scan.collect(0, matches));
    return { total: matches, rows: this.#findByAmount(found, listed) };
  }

  /** Counts the matches in the order by a text; then the page is found by another plan. */
  #countInLists(found: Found, by: number): Matches {
    const { request, conditions, known } = found;
    const listed = conditions[by] as FoundCondition;
    const { scan, matches } = this.#count(this.#lists.countingJob(listed, conditions), listed.records);
    const counted = { ...known, found: [{ ...listed, lists: matches, records: matches }] };
    const plan = planSearch(counted, request.offset, request.limit);
    if (plan.way !== "gather") return this.#findPage(found, plan);
    const ranks = this.#orders.column(`${listed.field}.rank`);
    const rows = scan.collect(0, maxGathered).map((row) => ranks.at(row));
    return this.#cutPage(found, keepRows(Int32Array.from(rows).sort(), found.spans));
  }

  #gather({ conditions, spans, request }: Found, by: number): Int32Array {
    return this.#lists.gather(conditions[by] as FoundCondition, conditions, request, spans);
  }

  /** Counts the matches of a job, with the help of another thread if the rows are many. */
  #count(job: ScanJob, rows: number): { scan: Scan; matches: number } {
    const { askHelp, sharedRows } = this.#control;
    if (rows >= sharedRows) askHelp(job);
    const scan = this.#openScan(job);
    scan.countChunks();
    return { scan, matches: scan.endCounting() };
  }

  #openScan(job: ScanJob): Scan {
    return new Scan(job, this.#orders.column, this.#control.checkpoint);
  }
}

const none = new Int32Array(0);
