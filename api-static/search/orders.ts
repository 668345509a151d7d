// Opens the columns of one release, and converts between the orders of its records: rows, ranks and positions.
import type { Column, Columns } from "../release/columns.ts";
import { type Field, type FoundCondition, isTextField, type ListOrder, listedFields } from "./conditions.ts";
import { type Condition, type OpenCondition, openCondition } from "./hits.ts";

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
