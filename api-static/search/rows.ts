// Finds the rows of a search that meet its filters on year, amount, and one funder or recipient: spans of an order.
import type { Filters } from "../contract/filters.ts";
import { type Columns, maxBlock } from "../release/columns.ts";
import type { FunderRow } from "../release/layout.ts";
import type { Amounts } from "./amounts.ts";
import { clipSpans, countSpans, readSpans, type Spans } from "./bits.ts";
import type { Asked, Conditions } from "./conditions.ts";
import type { Order, Orders } from "./orders.ts";

export type Ranges = Pick<
  Filters,
  "transactionYear" | "minYear" | "maxYear" | "minAmountCents" | "maxAmountCents" | "matched"
> & {
  /** The positions of the funder's records. */
  readonly funder?: Pick<FunderRow, "first" | "records">;
  readonly recipientEin?: number;
  /** By amount: each span is then in one year. */
  readonly sort?: "amount";
  /** Only rows from this one on are found. */
  readonly after?: number;
};

export type FoundRows = { readonly order: Order; readonly spans: Spans };

export class Rows {
  readonly #columns: Columns;
  readonly #orders: Orders;
  readonly #amounts: Amounts;
  readonly #conditions: Conditions;

  constructor(
    columns: Columns,
    orders: Orders,
    { amounts, conditions }: { readonly amounts: Amounts; readonly conditions: Conditions },
  ) {
    this.#columns = columns;
    this.#orders = orders;
    this.#amounts = amounts;
    this.#conditions = conditions;
  }

  /** The request without a condition on the funder's state if it is about one funder, all of whose records meet it, or none. */
  withFunderState<Request extends Ranges & Pick<Asked, "funderState">>(request: Request): Request {
    const { funder, funderState, ...others } = request;
    if (funder === undefined || funderState === undefined || funder.records === 0) return request;
    const state = this.#orders.column("position.funder_state").at(funder.first);
    const isThere = state === this.#conditions.findState(funderState);
    return { ...others, funder: isThere ? funder : { first: 0, records: 0 } } as Request;
  }

  find(ranges: Ranges): FoundRows {
    const { funder, recipientEin, after = 0 } = ranges;
    const windows = this.#findWindows(ranges);
    if (recipientEin !== undefined) {
      const { order, all } = this.#findRecipient(recipientEin, ranges.matched);
      const rows = this.#narrow(order, all, windows);
      const spans = funder === undefined ? rows : this.#keepFunder(order, rows, funder);
      return { order, spans: clipSpans(spans, after) };
    }
    if (funder === undefined) return { order: "rank", spans: clipSpans(windows, after) };
    const all = [funder.first, funder.first + funder.records] as const;
    return { order: "position", spans: clipSpans(this.#narrow("position", all, windows), after) };
  }

  /** The rows of a recipient. Without a match, it has those as filed, or none if only matches are wanted. */
  #findRecipient(ein: number, matched: Ranges["matched"]) {
    const likely = matched === undefined ? undefined : this.#conditions.likelyRowsOf(ein);
    if (likely !== undefined || matched === "only")
      return { order: "likely", all: likely ?? [0, 0] } as const;
    return { order: "recipient", all: this.#conditions.rowsOfRecipient(ein) } as const;
  }

  /** The ranks that meet the filters on year and amount: amounts descend within each year. */
  #findWindows(ranges: Ranges): Spans {
    const { transactionYear, minAmountCents: least, maxAmountCents: most, sort } = ranges;
    const { minYear = transactionYear ?? 0, maxYear = transactionYear ?? Number.POSITIVE_INFINITY } = ranges;
    const { records, years } = this.#columns.header;
    const found = years.filter(({ year }) => year >= minYear && year <= maxYear);
    const isCut = least !== undefined || most !== undefined || sort === "amount";
    if (!isCut && found.length === years.length) return Int32Array.of(0, records);
    const windows = found.flatMap(({ first, records: count }) => {
      const end = first + count;
      const from = most === undefined ? first : this.#amounts.findEnd(most + 1n, first, end);
      return [from, least === undefined ? end : this.#amounts.findEnd(least, from, end)];
    });
    return Int32Array.from(windows);
  }

  /** The parts of a run of rows whose ranks are in the windows. */
  #narrow(order: Order, [from, to]: readonly [number, number], windows: Spans): Spans {
    if (windows.length === 2 && countSpans(windows) === this.#columns.header.records)
      return Int32Array.of(from, to);
    const ranks = this.#orders.column(`${order}.rank`);
    if (to - from <= maxBlock) ranks.seek(from, to); // one read, instead of some for each edge of a window
    return windows.map((rank) => ranks.findFirst(rank, from, to));
  }

  /** The rows of a recipient that are records of a funder. */
  #keepFunder(order: Order, spans: Spans, { first, records }: NonNullable<Ranges["funder"]>): Spans {
    const positions = this.#orders.column(`${order}.position`);
    const kept = readSpans(spans, 0, countSpans(spans)).filter((row) => {
      const position = positions.at(row);
      return position >= first && position < first + records;
    });
    return Int32Array.from(kept.flatMap((row) => [row, row + 1]));
  }
}
