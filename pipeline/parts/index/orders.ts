// Writes the columns of records in the orders of their recipients and texts, in which the records of each are neighbors.
import { type Attribute, attributes, columnOf, type Order } from "../../../api-static/release/attributes.ts";
import type { ColumnWidth } from "../../../api-static/release/columns.ts";
import { type ColumnFile, startsOf } from "./columnFile.ts";
import { type Fill, placesByGroup, rowNumbers, scatter, valuesOf } from "./scatter.ts";

/** Records whose groups are counted at once. */
const recordsAtOnce = 2 ** 16;

/** The records in an order, by rank. */
export type Grouped = {
  readonly records: number;
  /** The group of each record, such as its recipient. Records of groups after the last one are absent from the order. */
  readonly groups: Fill;
  readonly count: number;
  /** Bytes of a state. */
  readonly stateWidth: ColumnWidth;
  /** Columns that no other order has. */
  readonly others?: readonly { readonly name: string; readonly width: ColumnWidth; readonly values: Fill }[];
};

/**
 * Writes the columns of an order from those by rank: where the records of each group start, then their ranks and all attributes of the
 * order, group by group in order of rank.
 */
export async function writeOrder(
  file: ColumnFile,
  order: Order,
  { records, groups, count, stateWidth, others = [] }: Grouped,
): Promise<void> {
  const starts = countStarts(groups, records, count);
  file.addAll(`${order}.start`, starts);
  const length = starts.at(-1) as number;
  const own = attributes.filter(({ orders }) => orders.includes(order));
  const wide = own.filter(({ texts }) => texts !== "states");
  const states = own.filter(({ texts }) => texts === "states");
  const columns = [
    file.add(`${order}.rank`, length),
    ...wide.map(({ name }) => file.add(columnOf(order, name), length)),
    ...others.map(({ name, width }) => file.add(`${order}.${name}`, length, width)),
    ...states.map(({ name }) => file.add(columnOf(order, name), length, stateWidth)),
  ];
  if (length === 0) return;
  const ofRank = ({ name }: Attribute) => valuesOf(file.read(`rank.${name}`));
  const move = {
    rows: records,
    places: placesByGroup(groups, starts),
    values: [rowNumbers, ...wide.map(ofRank), ...others.map(({ values }) => values), ...states.map(ofRank)],
  };
  await scatter(move, length, columns, file);
}

/** The first row of each group, then the number of rows in groups. */
function countStarts(groups: Fill, rows: number, count: number): Int32Array<ArrayBuffer> {
  const counts = new Int32Array(count);
  const some = new Int32Array(recordsAtOnce);
  for (let from = 0; from < rows; from += recordsAtOnce) {
    const values = some.subarray(0, Math.min(recordsAtOnce, rows - from));
    groups(from, values);
    for (const group of values) if (group < count) counts[group] = (counts[group] as number) + 1;
  }
  return startsOf(counts);
}
