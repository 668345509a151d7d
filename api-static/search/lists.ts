// Finds matches in lists: the records of a text, a funder or a recipient are neighbors in an order.
import { type Column, maxBlock } from "../release/columns.ts";
import { hasBit, keepRows, type Spans } from "./bits.ts";
import {
  type Asked,
  type Conditions,
  type FoundCondition,
  isTextField,
  type ListOrder,
} from "./conditions.ts";
import { findRows, type OpenCondition, openCondition } from "./hits.ts";
import { columnOf, type Orders } from "./orders.ts";
import { newJob, type ScanJob } from "./scan.ts";
import type { Checkpoint } from "./texts.ts";

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
