// Makes `records` from the previous release's: copies the lines of unchanged funders, and inserts those of the others.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parts } from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { DamagedError } from "../failure.ts";
import { allEnded } from "../parallel.ts";
import type { PartDigest } from "../releases/manifest.ts";
import { compareFunders, type FunderTables } from "./changes.ts";
import { LineReader } from "./lineReader.ts";
import { LineWriter } from "./lineWriter.ts";

/** Consecutive lines of `records` of the previous release, or of the file of fresh lines. */
type Step = { readonly from: "before" | "fresh"; readonly isKept: boolean; lines: number };

export type MergePlan = {
  /** The lines to read, in the order of the new `records`. */
  readonly steps: readonly Step[];
  /** EINs of the funders whose lines are fresh. */
  readonly touched: readonly number[];
  /** The number of fresh lines. */
  readonly fresh: number;
};

/** Plans which lines are copied and which are written: a funder's lines are copied if its grants are the same. */
export function planMerge(before: FunderTables, after: FunderTables): MergePlan {
  const steps: Step[] = [];
  const touched: number[] = [];
  let fresh = 0;
  const add = (from: Step["from"], isKept: boolean, lines: number) => {
    const last = steps.at(-1);
    if (last?.from === from && last.isKept === isKept) last.lines += lines;
    else steps.push({ from, isKept, lines });
  };
  for (const { change, before: old, after: next } of compareFunders(before, after)) {
    if (old !== undefined) add("before", change === "same", old.records);
    if (next === undefined || change === "same") continue;
    add("fresh", true, next.records);
    touched.push(next.ein);
    fresh += next.records;
  }
  return { steps, touched, fresh };
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
  const readers = {
    before: await openBefore(before),
    fresh: await LineReader.open(join(folder, freshRecords)),
  };
  const writer = await LineWriter.open(folder, true);
  const expected = { before: 0, fresh: 0 };
  try {
    for (const { from, isKept, lines } of steps) {
      expected[from] += lines;
      for await (const run of readers[from].take(lines)) if (isKept) await writer.add(run);
      onProgress(writer.lines);
    }
    const [old, fresh] = [await readers.before.finish(), await readers.fresh.finish()];
    if (old.sha256 !== before.records.sha256 || old.lines !== expected.before)
      throw new DamagedError(`${parts.records} of ${before.folder} does not match its sealed digest`);
    if (fresh.lines !== expected.fresh || fresh.rest > 0)
      throw new Error(`${freshRecords} has ${fresh.lines} lines, expected ${expected.fresh}`);
    const digest = await writer.finish();
    await rm(join(folder, freshRecords));
    return digest;
  } finally {
    await allEnded(readers.before.close(), readers.fresh.close(), writer.close());
  }
}

async function openBefore({ folder }: RecordsBefore): Promise<LineReader> {
  try {
    return await LineReader.open(join(folder, parts.records));
  } catch (error) {
    if (!isAbsence(error)) throw error;
    throw new DamagedError(`${parts.records} of ${folder} is missing`, { cause: error });
  }
}
