// Sums the rows of the columns that lie by recipient or by text, in a thread if they are many: this one checks the other columns.
import { Columns, maxBlock, textColumns } from "../../api-static/release/columns.ts";
import { type BlockOrder, type BlockThreads, newBlockOrder } from "../base/blocks.ts";
import { RowSum, type RowTotal } from "./rowSum.ts";

/** What the rows lie by. */
const groups = ["recipient", ...Object.values(textColumns)] as const;

export type Group = (typeof groups)[number];

/** The sum of a group's rows, or what is wrong with them. */
type SummedGroup = { readonly group: Group; readonly total?: RowTotal; readonly problem?: string };

type GroupsOrder = BlockOrder & { readonly path: string };

/** The sums of all groups whose rows can be read and are in order, and what is wrong with the others. */
export type GroupTotals = {
  readonly totals: ReadonlyMap<Group, RowTotal>;
  readonly problems: readonly string[];
};

/** @param path of `index.columns` */
export async function sumGroups(path: string, threads: BlockThreads): Promise<GroupTotals> {
  const order: GroupsOrder = { ...newBlockOrder(groups.length), path };
  const totals = new Map<Group, RowTotal>();
  const problems: string[] = [];
  await threads.run(new URL(import.meta.url), order, ({ group, total, problem }: SummedGroup) => {
    if (total !== undefined) totals.set(group, total);
    if (problem !== undefined) problems.push(problem);
  });
  return { totals, problems };
}

/** Sums the groups of the blocks; `BlockThreads` calls it. */
export function* work({ path }: GroupsOrder, blocks: Iterable<number>): Generator<SummedGroup> {
  const columns = Columns.open(path);
  try {
    for (const block of blocks) yield sumGroup(columns, groups[block] as Group);
  } finally {
    columns.close();
  }
}

function sumGroup(columns: Columns, group: Group): SummedGroup {
  try {
    if (group === "recipient") return { group, total: sumRecipients(columns) };
    const total = sumTexts(columns, group);
    return total === undefined
      ? { group, problem: `the ranks of ${group}.rank are out of order` }
      : { group, total };
  } catch (error) {
    // A column that is missing, or an id that is none, is a difference as well.
    if (!(error instanceof RangeError)) throw error;
    return { group, problem: error.message };
  }
}

/** The sum of the ranks and positions by recipient. */
function sumRecipients(columns: Columns): RowTotal {
  const positions = columns.column("recipient.position");
  const sum = new RowSum();
  forEachRank(columns, "recipient", (rank, row) => sum.add(rank, positions.at(row)));
  return sum.total;
}

/** The sum of the ranks by text, each with its text and the other text; undefined if they do not ascend within each text. */
function sumTexts(columns: Columns, group: Group): RowTotal | undefined {
  const starts = columns.column(`${group}.start`);
  const others = columns.column(`${group}.other`);
  const sum = new RowSum();
  let [text, stop, last, isAscending] = [-1, 0, -1, true];
  forEachRank(columns, group, (rank, row) => {
    for (; row >= stop; last = -1) {
      text += 1;
      stop = starts.at(text + 1);
    }
    isAscending &&= rank > last;
    last = rank;
    sum.add(rank, text, others.at(row));
  });
  return isAscending ? sum.total : undefined;
}

function forEachRank(columns: Columns, group: Group, use: (rank: number, row: number) => void): void {
  const ranks = columns.column(`${group}.rank`);
  for (let from = 0; from < ranks.length; from += maxBlock) {
    const values = ranks.slice(from, Math.min(ranks.length, from + maxBlock));
    for (let index = 0; index < values.length; index++) use(values[index] as number, from + index);
  }
}
