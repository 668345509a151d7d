// Searches the columns of a release: filters → spans of rows and sets of texts → plan → total and positions.
import { lineEnd } from "../contract/envelope.ts";
import type { Filters } from "../contract/filters.ts";
import { meetsFilters } from "../contract/matching.ts";
import { type Column, type Columns, maxBlock, type TextFilter, textColumns } from "../release/columns.ts";
import type { Records } from "../release/records.ts";
import { Amounts } from "./amounts.ts";
import { hasBit, visitRuns } from "./bits.ts";
import { type Known, maxGathered, maxRead, planSearch, type SearchPlan } from "./plan.ts";
import { newJob, Scan, type ScanJob } from "./scan.ts";
import { clipSpans, countSpans, readSpans, type Spans } from "./spans.ts";
import { type Checkpoint, type FoundTexts, Texts } from "./texts.ts";

/** A search as it is sent to a thread: filters, and the page to find. */
export type ColumnRequest = Omit<Filters, "funderEin" | "recipientEin"> & {
  /** The positions of the funder's records. */
  readonly funder?: { readonly first: number; readonly records: number };
  readonly recipientEin?: number;
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

/** Rows in result order: all records by rank, those of a funder by position, those of a recipient. */
type Order = "rank" | "position" | "recipient";

type FoundFilter = FoundTexts & { readonly filter: TextFilter };

/** A search whose rows and texts are found. */
type Found = {
  readonly request: ColumnRequest;
  readonly order: Order;
  /** The rows that meet all filters except those on text. */
  readonly spans: Spans;
  readonly texts: readonly FoundFilter[];
  readonly known: Known;
};

/** The rows of a page, and the total of all matches. */
type Matches = { readonly total: number; readonly rows: readonly number[] };

/** The columns of one release, as one thread uses them. */
export class ColumnSearch {
  readonly #columns: Columns;
  readonly #records: Records;
  readonly #open = new Map<string, Column>();
  readonly #texts: Readonly<Record<TextFilter, Texts>>;
  readonly #amounts: Amounts;
  readonly #control: SearchControl;

  constructor(columns: Columns, records: Records, control: SearchControl) {
    this.#columns = columns;
    this.#records = records;
    this.#control = control;
    this.#amounts = new Amounts(columns);
    this.#texts = {
      purpose: new Texts(columns, "purpose"),
      recipientName: new Texts(columns, "recipientName"),
    };
  }

  find(request: ColumnRequest): ColumnAnswer {
    const { order, spans } = this.#findRows(request);
    const count = countSpans(spans);
    const texts = count <= maxRead ? [] : this.#findTexts(request);
    const known: Known = {
      rows: count,
      isByRank: order === "rank",
      isWhole: count === this.#columns.header.records,
      isFiltered: request.purpose !== undefined || request.recipientName !== undefined,
      isWalk: request.after !== undefined,
      found: texts,
    };
    const plan = planSearch(known, request.offset, request.limit);
    const { total, rows } = this.#findPage({ request, order, spans, texts, known }, plan);
    const ways = texts.map(({ filter, way }) => `${textColumns[filter]} by ${way}`);
    return {
      total,
      positions: rows.map((row) => this.#positionOf(order, row)),
      next: rows.length < request.limit ? undefined : (rows.at(-1) ?? 0) + 1,
      plan: [...ways, plan.way === "none" ? "none" : `${plan.way} of ${order}`].join("; "),
    };
  }

  /** Takes part in a scan for another thread. */
  help(job: ScanJob): void {
    this.#openScan(job).countChunks();
  }

  /** The rows that meet all filters except those on text. */
  #findRows({ funder, recipientEin, transactionYear, minAmountCents, after = 0 }: ColumnRequest) {
    const windows = this.#findWindows(transactionYear, minAmountCents);
    if (recipientEin !== undefined) {
      const rows = this.#narrow("recipient", this.#findRecipient(recipientEin), windows);
      const spans = clipSpans(funder === undefined ? rows : this.#keepFunder(rows, funder), after);
      return { order: "recipient", spans } as const;
    }
    if (funder === undefined) return { order: "rank", spans: clipSpans(windows, after) } as const;
    const rows = [funder.first, funder.first + funder.records] as const;
    return { order: "position", spans: clipSpans(this.#narrow("position", rows, windows), after) } as const;
  }

  /** The ranks that meet the filters on year and amount: of each year, those with the largest amounts. */
  #findWindows(transactionYear: number | undefined, minAmountCents: bigint | undefined): Spans {
    const { records, years } = this.#columns.header;
    if (transactionYear === undefined && minAmountCents === undefined) return Int32Array.of(0, records);
    const found = years.filter(({ year }) => transactionYear === undefined || year === transactionYear);
    const windows = found.flatMap(({ first, records: count }) => {
      const end = first + count;
      return [first, minAmountCents === undefined ? end : this.#amounts.findEnd(minAmountCents, first, end)];
    });
    return Int32Array.from(windows);
  }

  /** The rows of a recipient; none if no record has it. */
  #findRecipient(ein: number): readonly [from: number, to: number] {
    const eins = this.#column("recipient.ein");
    const starts = this.#column("recipient.start");
    const at = eins.findFirst(ein, 0, eins.length);
    const isKnown = at < eins.length && eins.at(at) === ein;
    return [starts.at(at), starts.at(isKnown ? at + 1 : at)];
  }

  /** The parts of a run of rows whose ranks are in the windows. */
  #narrow(order: Order, [from, to]: readonly [number, number], windows: Spans): Spans {
    if (countSpans(windows) === this.#columns.header.records) return Int32Array.of(from, to);
    const ranks = this.#column(`${order}.rank`);
    if (to - from <= maxBlock) ranks.seek(from, to); // one read, instead of some for each edge of a window
    return windows.map((rank) => ranks.findFirst(rank, from, to));
  }

  /** The rows of a recipient that are records of a funder. */
  #keepFunder(spans: Spans, { first, records }: NonNullable<ColumnRequest["funder"]>): Spans {
    const positions = this.#column("recipient.position");
    const kept = readSpans(spans, 0, countSpans(spans)).filter((row) => {
      const position = positions.at(row);
      return position >= first && position < first + records;
    });
    return Int32Array.from(kept.flatMap((row) => [row, row + 1]));
  }

  /** The texts that meet each filter, the rarest first. */
  #findTexts(request: ColumnRequest): FoundFilter[] {
    const found: FoundFilter[] = [];
    for (const filter of ["purpose", "recipientName"] as const) {
      const pattern = request[filter];
      if (pattern === undefined) continue;
      const { checkpoint } = this.#control;
      found.push({ filter, ...this.#texts[filter].find(pattern, checkpoint, request.isByWords) });
      if (found.at(-1)?.records === 0) break;
    }
    return found.sort((one, other) => one.records - other.records);
  }

  #findPage(found: Found, plan: SearchPlan): Matches {
    const { spans, request } = found;
    const { offset, limit } = request;
    switch (plan.way) {
      case "none":
        return { total: plan.total, rows: [] };
      case "window":
        return { total: countSpans(spans), rows: readSpans(spans, offset, limit) };
      case "read":
        return this.#readRecords(found);
      case "scan":
        return this.#scan(found, plan.total);
      case "gather":
        return this.#gather(found);
      case "count":
        return this.#countTexts(found);
    }
  }

  /** Checks the record of each row. */
  #readRecords({ order, spans, request }: Found): Matches {
    const { funder, recipientEin, offset, limit, ...filters } = request;
    const all = readSpans(spans, 0, maxRead);
    const positions = all.map((row) => this.#positionOf(order, row));
    const lines = this.#records.readLines(positions, this.#control.checkpoint).toString().split(lineEnd);
    const rows = all.filter((_, index) => meetsFilters(String(lines[index]), filters));
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }

  /** Counts the rows that match, unless the total is known or not wanted; collects those of the page. */
  #scan({ request, order, spans, texts }: Found, total: number | undefined): Matches {
    const { offset, limit, after } = request;
    const isCounting = after === undefined && total === undefined;
    const wanted = isCounting ? Number.POSITIVE_INFINITY : offset + limit;
    const conditions = texts.map(({ filter, bits }) => ({ column: `${order}.${textColumns[filter]}`, bits }));
    const share = total === undefined ? 1 : Math.min(1, wanted / total); // of the rows, until the page is full
    const { scan, matches } = this.#count(newJob(spans, { conditions, wanted }), share * countSpans(spans));
    return { total: total ?? matches, rows: scan.collect(offset, limit) };
  }

  /** Counts the records that have one of each set of texts, in the order by the rarest; then the page is found by another plan. */
  #countTexts(found: Found): Matches {
    const { request, texts, known } = found;
    const [rarest, other] = texts as [FoundFilter, FoundFilter];
    const order = textColumns[rarest.filter];
    const ranks = this.#column(`${order}.rank`);
    const job = newJob(Int32Array.of(0, ranks.length), {
      texts: { column: `${order}.start`, bits: rarest.bits },
      conditions: [{ column: `${order}.other`, bits: other.bits }],
      wanted: Number.POSITIVE_INFINITY,
    });
    const { scan, matches } = this.#count(job, rarest.records);
    const counted = { ...known, found: [{ texts: matches, records: matches }] };
    const plan = planSearch(counted, request.offset, request.limit);
    if (plan.way !== "gather") return this.#findPage(found, plan);
    const rows = scan.collect(0, maxGathered).map((row) => ranks.at(row));
    return this.#sort(found, rows);
  }

  /** Finds the records that have one of the rarest texts and match. */
  #gather(found: Found): Matches {
    const [rarest, other] = found.texts as [FoundFilter, FoundFilter?];
    const { starts } = this.#texts[rarest.filter];
    const order = textColumns[rarest.filter];
    const [ranks, others] = [this.#column(`${order}.rank`), this.#column(`${order}.other`)];
    const rows: number[] = [];
    visitRuns(rarest.bits, (text, stop) => {
      this.#control.checkpoint();
      const end = starts.at(stop);
      for (let row = starts.at(text); row < end; row++)
        if (other === undefined || hasBit(other.bits, others.at(row))) rows.push(ranks.at(row));
    });
    return this.#sort(found, rows);
  }

  /** The page of those ranks that meet the filters on year and amount. */
  #sort({ spans, request: { offset, limit } }: Found, ranks: readonly number[]): Matches {
    const sorted = keepRows(Int32Array.from(ranks).sort(), spans);
    return { total: sorted.length, rows: [...sorted.subarray(offset, offset + limit)] };
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
    return new Scan(job, (name) => this.#column(name), this.#control.checkpoint);
  }

  #positionOf(order: Order, row: number): number {
    return order === "position" ? row : this.#column(`${order}.position`).at(row);
  }

  #column(name: string): Column {
    const open = this.#open.get(name) ?? this.#columns.column(name);
    this.#open.set(name, open);
    return open;
  }
}

/** The rows, in ascending order, that are in the spans. */
function keepRows(rows: Int32Array, spans: Spans): Int32Array {
  let span = 0;
  return rows.filter((row) => {
    while (span < spans.length && row >= (spans[span + 1] as number)) span += 2;
    return span < spans.length && row >= (spans[span] as number);
  });
}
