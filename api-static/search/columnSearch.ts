// Searches the columns of a release: filters → sets of texts and spans of rows → plan → total and positions.
import { type Column, type Columns, maxBlock, type TextFilter, textColumns } from "../release/columns.ts";
import { Amounts } from "./amounts.ts";
import { addRange, newBits, visitRuns } from "./bits.ts";
import { isPageScanned, maxGathered, type Plan, planSearch, type RankedOrder } from "./plan.ts";
import { type Condition, newJob, Scan, type ScanJob } from "./scan.ts";
import { clipSpans, countSpans, readSpans, type Spans } from "./spans.ts";
import { type Checkpoint, type FoundTexts, Texts } from "./texts.ts";

/** A search as it is sent to a thread: filters, and the page to find. */
export type ColumnRequest = {
  /** The positions of the funder's records. */
  readonly funder?: { readonly first: number; readonly records: number };
  readonly recipientEin?: number;
  readonly transactionYear?: number;
  readonly minAmountCents?: bigint;
  readonly purpose?: string;
  readonly recipientName?: string;
  readonly offset: number;
  readonly limit: number;
  /** Only rows from this one on are found, and their total is not counted: the next page of a walk. */
  readonly after?: number;
};

export type ColumnAnswer = {
  /** All matching records. A walk does not count them. */
  readonly total: number;
  /** The positions of the page's records, in result order. */
  readonly positions: number[];
  /** The row from which a walk goes on; undefined if there is none. */
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
  /** Rows of a scan from which on another thread is asked. */
  readonly sharedRows: number;
};

/** Rows up to which reading the text of each is faster than finding all texts that contain a pattern. */
const maxRead = 300;

type FoundFilter = FoundTexts & { readonly filter: TextFilter };

/** A search whose texts are found and whose rows are known. */
type Found = {
  readonly request: ColumnRequest;
  /** The ranks that can match by year and amount. */
  readonly windows: Spans;
  readonly isWindowed: boolean;
  readonly order: RankedOrder;
  readonly spans: Spans;
  readonly texts: readonly FoundFilter[];
};

/** The columns of one release, as one thread uses them. */
export class ColumnSearch {
  readonly #columns: Columns;
  readonly #open = new Map<string, Column>();
  readonly #texts: Readonly<Record<TextFilter, Texts>>;
  readonly #amounts: Amounts;
  readonly #control: SearchControl;

  constructor(columns: Columns, control: SearchControl) {
    this.#columns = columns;
    this.#control = control;
    this.#amounts = new Amounts(columns);
    this.#texts = {
      purpose: new Texts(columns, "purpose"),
      recipientName: new Texts(columns, "recipientName"),
    };
  }

  find(request: ColumnRequest): ColumnAnswer {
    const found = this.#findRows(request);
    const { order, spans, texts, isWindowed } = found;
    const { funder, recipientEin, offset, limit, after } = request;
    const known = {
      ...{ order, rows: countSpans(spans), texts },
      isExact: funder === undefined || recipientEin === undefined,
      isWhole: order === "rank" && !isWindowed,
      isWalk: after !== undefined,
    };
    const plan = planSearch(known, offset, limit);
    const ways = texts.map(({ filter, way }) => `${textColumns[filter]} by ${way}`);
    const { total, rows } = this.#readPage(found, plan);
    return { total, ...this.#answer(found, rows), plan: [...ways, formatPlan(plan)].join("; ") };
  }

  /** Takes part in a scan for another thread. */
  help(job: ScanJob): void {
    this.#openScan(job).countChunks();
  }

  /** The total, and the page's rows. */
  #readPage(found: Found, plan: Plan): { total: number; rows: readonly number[] } {
    const { spans, request } = found;
    const { offset, limit, after = 0 } = request;
    switch (plan.way) {
      case "none":
        return { total: plan.total, rows: [] };
      case "window":
        return { total: countSpans(spans), rows: readSpans(clipSpans(spans, after), offset, limit) };
      case "scan":
        return this.#scan(found, plan);
      case "gather": {
        const { total, ranks } = this.#gather(found, plan.order);
        if (ranks === undefined) return this.#scan(found, { way: "scan", order: "rank", total });
        const first = offset + ranks.findLastIndex((rank) => rank < after) + 1;
        return { total, rows: [...ranks.subarray(first, first + limit)] };
      }
    }
  }

  /** The positions of rows in result order, and where a walk goes on after them. */
  #answer(
    { order, request: { limit } }: Found,
    rows: readonly number[],
  ): Pick<ColumnAnswer, "positions" | "next"> {
    const next = rows.length < limit ? undefined : (rows.at(-1) ?? 0) + 1;
    if (order === "position") return { positions: [...rows], next };
    const positions = this.#column(`${order}.position`);
    return { positions: rows.map((row) => positions.at(row)), next };
  }

  #findRows(request: ColumnRequest): Found {
    const isWindowed = request.transactionYear !== undefined || request.minAmountCents !== undefined;
    const windows = this.#findWindows(request);
    const { order, rows } = this.#findOrder(request);
    const spans = order === "rank" ? windows : isWindowed ? this.#narrow(order, rows, windows) : rows;
    const texts = countSpans(spans) === 0 ? [] : this.#findTexts(request, order, spans);
    return { request, windows, isWindowed, order, spans, texts };
  }

  /** The ranks that meet the filters on year and amount: of each year, those with the largest amounts. */
  #findWindows({ transactionYear, minAmountCents }: ColumnRequest): Spans {
    const { records, years } = this.#columns.header;
    if (transactionYear === undefined && minAmountCents === undefined) return Int32Array.of(0, records);
    const found = years.filter(({ year }) => transactionYear === undefined || year === transactionYear);
    return Int32Array.from(
      found.flatMap(({ first, records: count }) => {
        const end = first + count;
        return [
          first,
          minAmountCents === undefined ? end : this.#amounts.findEnd(minAmountCents, first, end),
        ];
      }),
    );
  }

  /** The parts of a run of rows whose ranks are in the windows. */
  #narrow(order: RankedOrder, [from = 0, to = 0]: Spans, windows: Spans): Spans {
    const ranks = this.#column(`${order}.rank`);
    if (to - from <= maxBlock) ranks.seek(from, to); // one read, instead of some for each edge of a window
    return windows.map((rank) => ranks.findFirst(rank, from, to));
  }

  /** The order in which the rows that can match are neighbors, and these rows. */
  #findOrder({ funder, recipientEin }: ColumnRequest): { order: RankedOrder; rows: Spans } {
    if (recipientEin !== undefined) {
      const eins = this.#column("recipient.ein");
      const starts = this.#column("recipient.start");
      const at = eins.findFirst(recipientEin, 0, eins.length);
      const isKnown = at < eins.length && eins.at(at) === recipientEin;
      return {
        order: "recipient",
        rows: isKnown ? Int32Array.of(starts.at(at), starts.at(at + 1)) : new Int32Array(0),
      };
    }
    if (funder === undefined) return { order: "rank", rows: new Int32Array(0) };
    return { order: "position", rows: Int32Array.of(funder.first, funder.first + funder.records) };
  }

  /** The texts that meet each filter, the rarest first. If there are few rows, only their texts are checked. */
  #findTexts(request: ColumnRequest, order: RankedOrder, spans: Spans): FoundFilter[] {
    const found: FoundFilter[] = [];
    const isRead = order !== "rank" && countSpans(spans) <= maxRead;
    for (const filter of ["purpose", "recipientName"] as const) {
      const pattern = request[filter];
      if (pattern === undefined) continue;
      const texts = this.#texts[filter];
      if (isRead) {
        const ids = this.#column(`${order}.${textColumns[filter]}`);
        const some = new Set(readSpans(spans, 0, maxRead).map((row) => ids.at(row)));
        found.push({ filter, ...texts.findAmong(pattern, some) });
      } else found.push({ filter, ...texts.find(pattern, this.#control.checkpoint) });
      if (found.at(-1)?.records === 0) break;
    }
    return found.sort((one, other) => one.records - other.records);
  }

  #scan(found: Found, { order, total }: Plan & { way: "scan" }): { total: number; rows: number[] } {
    const { spans, request } = found;
    const { offset, limit, after } = request;
    const isCounting = after === undefined && total === undefined;
    const wanted = isCounting ? Number.POSITIVE_INFINITY : offset + limit;
    const job = newJob(clipSpans(spans, after ?? 0), this.#conditionsOf(found, order), wanted);
    const share = total === undefined ? 1 : Math.min(1, wanted / total); // of the rows, until the page is full
    const { scan, matches } = this.#count(job, share * countSpans(spans));
    return { total: total ?? matches, rows: scan.collect(offset, limit) };
  }

  /** Counts the matches of a job, with the help of another thread if many rows are to be scanned. */
  #count(job: ScanJob, rows: number): { scan: Scan; matches: number } {
    const { askHelp, sharedRows } = this.#control;
    if (rows >= sharedRows) askHelp(job);
    const scan = this.#openScan(job);
    scan.countChunks();
    return { scan, matches: scan.endCounting() };
  }

  #openScan(job: ScanJob): Scan {
    return new Scan(job, (name) => this.#column(name), this.#control.checkpoint);
  }

  #conditionsOf({ request: { funder, recipientEin }, texts }: Found, order: RankedOrder): Condition[] {
    const conditions = texts.map(({ filter, bits }) => ({ column: `${order}.${textColumns[filter]}`, bits }));
    if (funder === undefined || recipientEin === undefined) return conditions;
    const ofFunder = newBits(this.#columns.header.records);
    addRange(ofFunder, funder.first, funder.first + funder.records);
    return [{ column: `${order}.position`, bits: ofFunder }, ...conditions];
  }

  /** Counts the records that have one of the rarest texts and match; their ranks in order, unless a scan finds the page sooner. */
  #gather(
    { windows, isWindowed, texts, request: { offset, limit, after } }: Found,
    filter: TextFilter,
  ): { total: number; ranks?: Int32Array } {
    const [rarest, other] = texts as [FoundFilter, FoundFilter?];
    const spans = this.#rowsOf(rarest);
    let rows = other === undefined ? readSpans(spans, 0, maxGathered) : [];
    if (other !== undefined) {
      const condition = { column: `${textColumns[filter]}.other`, bits: other.bits };
      const { scan, matches } = this.#count(
        newJob(spans, [condition], Number.POSITIVE_INFINITY),
        rarest.records,
      );
      const isTotal = !isWindowed && after === undefined; // of the whole table: a window has fewer
      if (isTotal && isPageScanned(this.#columns.header.records, matches, offset, limit))
        return { total: matches };
      rows = scan.collect(0, maxGathered);
    }
    const ranks = this.#column(`${textColumns[filter]}.rank`);
    const found = readWindows(Int32Array.from(rows, (row) => ranks.at(row)).sort(), windows);
    return { total: found.length, ranks: found };
  }

  /** The rows of found texts in the order by text. */
  #rowsOf({ filter, bits, runs }: FoundFilter): Spans {
    const { starts } = this.#texts[filter];
    const spans = new Int32Array(2 * runs);
    let end = 0;
    visitRuns(bits, (from, to) => {
      spans[end++] = starts.at(from);
      spans[end++] = starts.at(to);
    });
    return spans;
  }

  #column(name: string): Column {
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    const column = this.#columns.column(name);
    this.#open.set(name, column);
    return column;
  }
}

/** The ranks, which ascend, that are in the windows. */
function readWindows(ranks: Int32Array, windows: Spans): Int32Array {
  let span = 0;
  return ranks.filter((rank) => {
    while (span < windows.length && rank >= (windows[span + 1] as number)) span += 2;
    return span < windows.length && rank >= (windows[span] as number);
  });
}

/** A plan for people, e.g., "scan of rank". */
function formatPlan(plan: Plan): string {
  if (plan.way === "none") return "none";
  return plan.way === "gather" ? `gathering of ${textColumns[plan.order]}` : `${plan.way} of ${plan.order}`;
}
