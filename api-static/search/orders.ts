// Opens the columns of one release, and converts between the orders of its records: rows, ranks and positions.
import type { Column, Columns } from "../release/columns.ts";
import { type FoundCondition, type ListOrder, textFields } from "./conditions.ts";
import { type Condition, type OpenCondition, openCondition } from "./hits.ts";

/** Rows in result order: all records by rank, those of a funder by position, those of a recipient. */
export type Order = "rank" | "position" | "recipient";

export class Orders {
  readonly #columns: Columns;
  readonly #open = new Map<string, Column>();

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  column(name: string): Column {
    const open = this.#open.get(name) ?? this.#columns.column(name);
    this.#open.set(name, open);
    return open;
  }

  positionOf(order: Order, row: number): number {
    return order === "position" ? row : this.column(`${order}.position`).at(row);
  }

  ranksOf(order: Order, rows: Int32Array): Int32Array {
    if (order === "rank") return rows;
    const ranks = this.column(`${order}.rank`);
    return rows.map((row) => ranks.at(row));
  }

  /** The conditions on rows. The orders by position and by recipient only have columns of texts; other values are found by rank. */
  conditionsOf(order: Order, conditions: readonly FoundCondition[]): Condition[] {
    return conditions.map(({ field, bits }) => {
      if (order === "rank" || textFields.includes(field)) return { column: `${order}.${field}`, bits };
      return { column: `rank.${field}`, bits, ranks: `${order}.rank` };
    });
  }

  /** The conditions on texts for which an order of lists has a column. */
  openTexts(order: ListOrder, conditions: readonly FoundCondition[]): OpenCondition[] {
    const hasOther = order === "purpose" || order === "recipient_name";
    return conditions
      .filter(({ field }) => textFields.includes(field) && field !== order)
      .map(({ field, bits }) => {
        const column = this.column(hasOther ? `${order}.other` : `${order}.${field}`);
        return { column, bits, ranks: undefined };
      });
  }

  openConditions(order: Order, conditions: readonly FoundCondition[]): OpenCondition[] {
    const open = (name: string) => this.column(name);
    return this.conditionsOf(order, conditions).map((condition) => openCondition(condition, open));
  }
}
