// Makes `records` from the previous release's: copies the lines of unchanged funders, and inserts those of the others.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type FunderRow, parts } from "../../../api-static/release/layout.ts";
import { isAbsence } from "../../../api-static/release/systemErrors.ts";
import { DamagedError } from "../../base/failure.ts";
import { digestIfPresent, type Manifest, type PartDigest } from "../../releases/manifest.ts";
import { compareFunders, type FunderTables } from "../changes.ts";
import { findLines } from "./findLines.ts";
import { type LineStep, mergeLines } from "./mergeLines.ts";
import { type RecordsDigests, recordsIn } from "./records.ts";

/** EINs of funders, in order, and how many lines the records of each move: to their positions, from where they are now. */
export type Moves = { readonly eins: number[]; readonly shifts: number[] };

export type MergePlan = {
  /** The lines to read, in the order of the new `records`. */
  readonly steps: readonly LineStep[];
  /** The funders whose lines are copied. They move from their positions in the previous release. */
  readonly kept: Moves;
  /** The funders whose lines are fresh. They move from their places among the fresh lines. */
  readonly fresh: Moves;
  /** The number of fresh lines. */
  readonly freshRecords: number;
};

/**
 * Plans which lines are copied and which are written: a funder's lines are copied if its grants are the same.
 * @param written EINs of funders whose lines are written in any case
 */
export function planMerge(
  before: FunderTables,
  after: FunderTables,
  written: ReadonlySet<number> = new Set(),
): MergePlan {
  const steps: (LineStep & { lines: number })[] = [];
  const [kept, fresh]: [Moves, Moves] = [
    { eins: [], shifts: [] },
    { eins: [], shifts: [] },
  ];
  let freshRecords = 0;
  const add = (from: LineStep["from"], isKept: boolean, lines: number) => {
    const last = steps.at(-1);
    if (last?.from === from && last.isKept === isKept) last.lines += lines;
    else steps.push({ from, isKept, lines });
  };
  const move = ({ eins, shifts }: Moves, { ein, first }: FunderRow, from: number) => {
    eins.push(ein);
    shifts.push(first - from);
  };
  for (const { change, before: old, after: next } of compareFunders(before, after)) {
    const isKept = change === "same" && !written.has(next?.ein ?? 0);
    if (old !== undefined) add("before", isKept, old.records);
    if (next === undefined) continue;
    if (isKept) {
      move(kept, next, old?.first ?? 0);
      continue;
    }
    add("fresh", true, next.records);
    move(fresh, next, freshRecords);
    freshRecords += next.records;
  }
  return { steps, kept, fresh, freshRecords };
}

/** The previous release: its folder, and the sealed digests of its parts. */
export type SealedRelease = { readonly folder: string; readonly sealed: Manifest["parts"] };

/** @throws DamagedError if what was found of a part does not have its sealed digest */
export function checkSeal(
  { folder, sealed }: SealedRelease,
  part: string,
  found: PartDigest | undefined,
): void {
  if (found !== undefined && isDeepStrictEqual(found, sealed[part])) return;
  throw new DamagedError(`${part} of ${folder} does not match its sealed digest`);
}

/** The file of fresh lines, in a release's folder while it is built. */
export const freshRecords = "records.fresh";

/**
 * Writes `records` and `records.offsets` into `folder` from the previous release's lines and the fresh ones, and removes the file of
 * fresh lines. Returns the digests of both.
 * @throws DamagedError if a part of the previous release does not have its sealed digest
 */
export async function mergeRecords(
  folder: string,
  before: SealedRelease,
  { steps, freshRecords: expected }: MergePlan,
  onProgress: (lines: number) => void,
): Promise<RecordsDigests> {
  const files = {
    before: recordsIn(before.folder),
    fresh: { lines: join(folder, freshRecords), offsets: join(folder, `${freshRecords}.offsets`) },
    merged: recordsIn(folder),
  };
  await findLines(files.fresh, expected, () => {});
  checkSeal(before, parts.offsets, await digestIfPresent(files.before.offsets));
  const found = await mergeLines(files, steps, onProgress).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
    throw new DamagedError(`${parts.records} of ${before.folder} is missing`, { cause: error });
  });
  checkSeal(before, parts.records, found.before);
  for (const path of Object.values(files.fresh)) await rm(path);
  return { [parts.records]: found.lines, [parts.offsets]: found.offsets };
}
