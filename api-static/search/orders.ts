// Opens the columns of one release, converts between the orders of its records (rows, ranks and positions), and finds matches in lists: the
// records of a text, a funder or a recipient are neighbors in an order.
import { type Column, type Columns, maxBlock } from "../release/columns.ts";
import { hasBit, keepRows, type Spans } from "./bits.ts";
import {
  type Asked,
  type Conditions,
  type Field,
  type FoundCondition,
  isTextField,
  type ListOrder,
  listedFields,
} from "./conditions.ts";
import { type Condition, findRows, type OpenCondition, openCondition } from "./hits.ts";
import { newJob, type ScanJob } from "./scan.ts";
import type { Checkpoint } from "./texts.ts";

/** Rows in result order: all records by rank, those of a funder by position, those of a recipient as filed, or with likely ones. */
export type Order = "rank" | "position" | "recipient" | "likely";

export class Orders {
  readonly #columns: Columns;
  readonly #open = new Map<string, Column>();
  readonly #packed = new Map<string, Column>();

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Opens a column, once. @param isPacked as `Columns.packed` does */
  readonly column = (name: string, isPacked = false): Column => {
    const known = isPacked ? this.#packed : this.#open;
    const open = known.get(name) ?? (isPacked ? this.#columns.packed(name) : this.#columns.column(name));
    known.set(name, open);
    return open;
  };

  positionOf(order: Order, row: number): number {
    return order === "position" ? row : this.column(`${order}.position`).at(row);
  }

  ranksOf(order: Order, rows: Int32Array): Int32Array {
    if (order === "rank") return rows;
    const ranks = this.column(`${order}.rank`);
    return rows.map((row) => ranks.at(row));
  }

  /** The conditions on rows. Values of which an order has no column are found by rank. */
  conditionsOf(order: Order, conditions: readonly FoundCondition[]): Condition[] {
    const on = conditions.map((condition) => ({
      records: condition.records,
      ...(this.#conditionOn(order, condition) ?? {
        column: `rank.${condition.field}`,
        bits: condition.bits,
        ranks: `${order}.rank`,
      }),
    }));
    return on.sort((one, other) => this.#turnOf(one) - this.#turnOf(other));
  }

  /** Bytes are checked first, because that takes least, unless most rows pass. */
  #turnOf({ records, byte }: Pick<FoundCondition, "records"> & Condition): number {
    return byte !== undefined && records < this.#columns.header.records / 2 ? 0 : 1;
  }

  openConditions(order: Order, conditions: readonly FoundCondition[]): OpenCondition[] {
    return this.conditionsOf(order, conditions).map((condition) => openCondition(condition, this.column));
  }

  /** The conditions of which an order of lists has a column. The records of its lists meet those on their text. */
  conditionsInLists(order: ListOrder, conditions: readonly FoundCondition[]): Condition[] {
    return conditions.flatMap((condition) => this.#conditionOn(order, condition) ?? []);
  }

  #conditionOn(
    order: Order | ListOrder,
    { field, bits, only }: Pick<FoundCondition, "field" | "bits" | "only">,
  ): Condition | undefined {
    const column = columnOf(order, field);
    if (column === undefined) return undefined;
    const isByte = only !== undefined && this.#columns.placeOf(column).width === 1;
    return { column, bits, byte: isByte ? only : undefined };
  }
}

/** The name of an order's column of a field; undefined if it has none. */
export function columnOf(order: Order | ListOrder, field: Field): string | undefined {
  if (field === "is_filed") return `likely.${field}`; // only that order has it
  if (order !== "rank" && (field === order || !listedFields.includes(field))) return undefined;
  return isTextField(order) && isTextField(field) ? `${order}.other` : `${order}.${field}`;
}

/** The column of ranks of an order, and the conditions whose ids the order has. */
type OpenOrder = { readonly ranks: Column; readonly conditions: readonly OpenCondition[] };

export class Lists {
  readonly #orders: Orders;
  readonly #conditions: Conditions;
  readonly #checkpoint: Checkpoint;

  constructor(orders: Orders, conditions: Conditions, checkpoint: Checkpoint) {
    this.#orders = orders;
    this.#conditions = conditions;
    this.#checkpoint = checkpoint;
  }

  /** The ranks of the records that are in the lists of a condition and in the spans, and meet all conditions. */
  gather(
    listed: FoundCondition,
    conditions: readonly FoundCondition[],
    asked: Asked,
    spans: Spans,
  ): Int32Array {
    const found: number[] = [];
    const buffer = new Int32Array(maxBlock);
    const opened = new Map<ListOrder, OpenOrder>();
    const others = conditions.filter((condition) => condition !== listed);
    this.#conditions.visitLists(listed, asked, (order, first, end) => {
      const open = opened.get(order) ?? this.#open(order, others);
      opened.set(order, open);
      for (let from = first; from < end; from += maxBlock) {
        this.#checkpoint();
        const rows = findRows(open.conditions, from, Math.min(from + maxBlock, end), buffer);
        for (let index = 0; index < rows.length; index++) found.push(open.ranks.at(rows[index] as number));
      }
    });
    const isChecked = (condition: FoundCondition) =>
      condition === listed
        ? listed.isCounted
        : [...opened.keys()].every((order) => columnOf(order, condition.field) !== undefined);
    return conditions.reduce(
      (kept, condition) => {
        if (isChecked(condition)) return kept;
        const values = this.#orders.column(`rank.${condition.field}`);
        return kept.filter((rank) => hasBit(condition.bits, values.at(rank)));
      },
      keepRows(Int32Array.from(found).sort(), spans),
    );
  }

  #open(order: ListOrder, conditions: readonly FoundCondition[]): OpenOrder {
    const listed = this.#orders.conditionsInLists(order, conditions);
    return {
      ranks: this.#orders.column(`${order}.rank`),
      conditions: listed.map((condition) => openCondition(condition, this.#orders.column)),
    };
  }

  /** A scan of the records of a condition's texts, in the order by them, which has columns of all other conditions. */
  countingJob(listed: FoundCondition, conditions: readonly FoundCondition[]): ScanJob {
    const { field, bits } = listed;
    if (!isTextField(field)) throw new TypeError(`records are not in order of ${field}`);
    const others = conditions.filter((condition) => condition !== listed);
    return newJob(Int32Array.of(0, this.#orders.column(`${field}.rank`).length), {
      texts: { column: `${field}.start`, bits },
      conditions: this.#orders.conditionsInLists(field, others),
      wanted: Number.POSITIVE_INFINITY,
    });
  }
}
