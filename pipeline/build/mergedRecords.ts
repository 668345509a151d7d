// Makes `records` from the previous release's: copies the lines of unchanged funders, and inserts those of the others.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type FunderRow, parts } from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { DamagedError } from "../failure.ts";
import type { PartDigest } from "../releases/manifest.ts";
import { compareFunders, type FunderTables } from "./changes.ts";
import { findLines } from "./findLines.ts";

/** Consecutive lines of `records` of the previous release, or of the file of fresh lines. */
type Step = { readonly from: "before" | "fresh"; readonly isKept: boolean; lines: number };

/** EINs of funders, in order, and how many lines the records of each move: to their positions, from where they are now. */
export type Moves = { readonly eins: number[]; readonly shifts: number[] };

export type MergePlan = {
  /** The lines to read, in the order of the new `records`. */
  readonly steps: readonly Step[];
  /** The funders whose lines are copied. They move from their positions in the previous release. */
  readonly kept: Moves;
  /** The funders whose lines are fresh. They move from their places among the fresh lines. */
  readonly fresh: Moves;
  /** The number of fresh lines. */
  readonly freshRecords: number;
};

/** Plans which lines are copied and which are written: a funder's lines are copied if its grants are the same. */
export function planMerge(before: FunderTables, after: FunderTables): MergePlan {
  const steps: Step[] = [];
  const [kept, fresh]: [Moves, Moves] = [
    { eins: [], shifts: [] },
    { eins: [], shifts: [] },
  ];
  let freshRecords = 0;
  const add = (from: Step["from"], isKept: boolean, lines: number) => {
    const last = steps.at(-1);
    if (last?.from === from && last.isKept === isKept) last.lines += lines;
    else steps.push({ from, isKept, lines });
  };
  const move = ({ eins, shifts }: Moves, { ein, first }: FunderRow, from: number) => {
    eins.push(ein);
    shifts.push(first - from);
  };
  for (const { change, before: old, after: next } of compareFunders(before, after)) {
    if (old !== undefined) add("before", change === "same", old.records);
    if (next === undefined) continue;
    if (change === "same") {
      move(kept, next, old?.first ?? 0);
      continue;
    }
    add("fresh", true, next.records);
    move(fresh, next, freshRecords);
    freshRecords += next.records;
  }
  return { steps, kept, fresh, freshRecords };
}

/** The `records` of the previous release: its folder, and the sealed digest. */
export type RecordsBefore = { readonly folder: string; readonly records: PartDigest };

/** The file of fresh lines, in a release's folder while it is built. */
export const freshRecords = "records.fresh";

/**
 * Writes `records` and `records.offsets` into `folder` from the previous release's lines and the fresh ones, and removes the file of
 * fresh lines. Returns the digest of `records`.
 * @throws DamagedError if the previous `records` does not have its sealed digest
 */
export async function mergeRecords(
  folder: string,
  before: RecordsBefore,
  { steps }: MergePlan,
  onProgress: (lines: number) => void,
): Promise<PartDigest> {
  const files = { before: join(before.folder, parts.records), fresh: join(folder, freshRecords) };
  const found = await findLines(folder, files, steps, true, onProgress).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
    throw new DamagedError(`${parts.records} of ${before.folder} is missing`, { cause: error });
  });
  const expected = { before: 0, fresh: 0 };
  for (const { from, lines } of steps) expected[from] += lines;
  const { before: old, fresh } = found.files;
  if (old?.sha256 !== before.records.sha256 || old.lines !== expected.before)
    throw new DamagedError(`${parts.records} of ${before.folder} does not match its sealed digest`);
  if (fresh?.lines !== expected.fresh || fresh.rest > 0)
    throw new Error(`${freshRecords} has ${fresh?.lines} lines, expected ${expected.fresh}`);
  await rm(join(folder, freshRecords));
  return found.merged;
}
