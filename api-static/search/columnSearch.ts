// Searches the columns of a release: filters → sets of texts and spans of rows → plan → total and positions.
import { type Column, type Columns, type TextFilter, textColumns } from "../release/columns.ts";
import { addRange, type Bits, newBits, visitRuns } from "./bits.ts";
import { maxGathered, type Plan, planSearch, type RankedOrder } from "./plan.ts";
import {
  type Condition,
  clipSpans,
  countSpans,
  type FoundRows,
  type Page,
  readSpans,
  Scan,
  type Spans,
} from "./scan.ts";
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
  readonly #scan: Scan;
  readonly #checkpoint: Checkpoint;

  /** @param checkpoint called now and then while a search runs; throws to end it */
  constructor(columns: Columns, checkpoint: Checkpoint) {
    this.#columns = columns;
    this.#checkpoint = checkpoint;
    this.#scan = new Scan(checkpoint);
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
    return this.#readPage(found, plan, ways);
  }

  #readPage(found: Found, plan: Plan, ways: readonly string[]): ColumnAnswer {
    const { order, request } = found;
    const isCounting = request.after === undefined;
    const tell = (...steps: string[]) => [...ways, ...steps].join("; ");
    if (plan.way === "none") return { total: 0, positions: [], next: undefined, plan: tell("none") };
    if (plan.way === "window") {
      const { rows, seen } = readSpans(this.#clipped(found), { ...request, isCounting });
      return { ...this.#answer(found, rows), total: seen, plan: tell(`window of ${order}`) };
    }
    if (plan.way === "scan") {
      const page = { ...request, isCounting: isCounting && plan.total === undefined };
      const { rows, seen } = this.#findMatches(this.#clipped(found), page, this.#conditionsOf(found, order));
      return { ...this.#answer(found, rows), total: plan.total ?? seen, plan: tell(`scan of ${order}`) };
    }
    const step = `gathering of ${textColumns[plan.order]}`;
    const { rows, seen } = this.#gather(found, plan.order);
    if (seen > maxGathered)
      return this.#readPage(found, { way: "scan", order, total: seen }, [...ways, step]);
    const ranks = this.#ranksOf(plan.order, rows).filter((rank) => rank >= (request.after ?? 0));
    const page = [...ranks.subarray(request.offset, request.offset + request.limit)];
    return { ...this.#answer(found, page), total: seen, plan: tell(step) };
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
    const amounts = this.#column("rank.amount");
    const found = years.filter(({ year }) => transactionYear === undefined || year === transactionYear);
    return Int32Array.from(
      found.flatMap(({ first, records: count }) => {
        if (minAmountCents === undefined) return [first, first + count];
        let [low, high] = [first, first + count];
        while (low < high) {
          const middle = Math.floor((low + high) / 2);
          if (amounts.bigAt(middle) >= minAmountCents) low = middle + 1;
          else high = middle;
        }
        return [first, low];
      }),
    );
  }

  /** The parts of a run of rows whose ranks are in the windows. */
  #narrow(order: RankedOrder, [from = 0, to = 0]: Spans, windows: Spans): Spans {
    const ranks = this.#column(`${order}.rank`);
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
    const { rows } = readSpans(spans, { offset: 0, limit: maxRead + 1, isCounting: false });
    for (const filter of ["purpose", "recipientName"] as const) {
      const pattern = request[filter];
      if (pattern === undefined) continue;
      const texts = this.#texts[filter];
      const ids = this.#column(`${order}.${textColumns[filter]}`);
      const isRead = order !== "rank" && rows.length <= maxRead;
      found.push({
        filter,
        ...(isRead
          ? texts.findAmong(pattern, new Set(rows.map((row) => ids.at(row))))
          : texts.find(pattern, this.#checkpoint)),
      });
      if (found.at(-1)?.records === 0) break;
    }
    return found.sort((one, other) => one.records - other.records);
  }

  /** The rows of spans that meet all conditions. */
  #findMatches(spans: Spans, page: Page, conditions: readonly Condition[]): FoundRows {
    const [first, ...others] = conditions;
    return first === undefined ? readSpans(spans, page) : this.#scan.run(spans, [first, ...others], page);
  }

  #conditionsOf({ request: { funder, recipientEin }, texts }: Found, order: RankedOrder): Condition[] {
    const conditions = texts.map(({ filter, bits }) => ({
      column: this.#column(`${order}.${textColumns[filter]}`),
      bits,
    }));
    if (funder === undefined || recipientEin === undefined) return conditions;
    const ofFunder = this.#bitsOf(Int32Array.of(funder.first, funder.first + funder.records));
    return [{ column: this.#column(`${order}.position`), bits: ofFunder }, ...conditions];
  }

  /** The rows of the rarer text that match, of which at most `maxGathered` are collected. */
  #gather({ windows, isWindowed, texts }: Found, filter: TextFilter): FoundRows {
    const [rarest, other] = texts;
    const { starts } = this.#texts[filter];
    const spans = new Int32Array(2 * (rarest?.runs ?? 0));
    let end = 0;
    if (rarest !== undefined)
      visitRuns(rarest.bits, (from, to) => {
        spans[end++] = starts.at(from);
        spans[end++] = starts.at(to);
      });
    const name = textColumns[filter];
    const conditions: Condition[] = [];
    if (other !== undefined) conditions.push({ column: this.#column(`${name}.other`), bits: other.bits });
    if (isWindowed) conditions.push({ column: this.#column(`${name}.rank`), bits: this.#bitsOf(windows) });
    const page = { offset: 0, limit: maxGathered, isCounting: true };
    return this.#findMatches(spans, page, conditions);
  }

  #ranksOf(filter: TextFilter, rows: readonly number[]): Int32Array {
    const ranks = this.#column(`${textColumns[filter]}.rank`);
    return Int32Array.from(rows, (row) => ranks.at(row)).sort();
  }

  /** Spans of ranks or positions as a set. */
  #bitsOf(spans: Spans): Bits {
    const bits = newBits(this.#columns.header.records);
    for (let span = 0; span < spans.length; span += 2)
      addRange(bits, spans[span] as number, spans[span + 1] as number);
    return bits;
  }

  #clipped({ spans, request: { after } }: Found): Spans {
    return after === undefined ? spans : clipSpans(spans, after);
  }

  #column(name: string): Column {
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    const column = this.#columns.column(name);
    this.#open.set(name, column);
    return column;
  }
}
