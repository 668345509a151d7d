// Finds the lines of `records`, and merges them from several files if need be, in a worker thread: this one writes the index meanwhile.
import { type BlockOrder, BlockThreads, newBlockOrder, withThreads } from "../blocks.ts";
import { allEnded } from "../parallel.ts";
import type { PartDigest } from "../releases/manifest.ts";
import { LineReader, type ReadFile } from "./lineReader.ts";
import { LineWriter } from "./lineWriter.ts";

/** Files that lines are read from: by a name, their paths. */
export type LineFiles = Readonly<Record<string, string>>;

/** Consecutive lines of one of the files, and whether `records` has them. */
export type LineStep = { readonly from: string; readonly isKept: boolean; readonly lines: number };

type LinesOrder = BlockOrder & {
  readonly folder: string;
  readonly files: LineFiles;
  readonly steps: readonly LineStep[];
  readonly isMerging: boolean;
};

/** What each file has, and the digest of `records` if it was merged. */
export type FoundLines = { readonly files: Readonly<Record<string, ReadFile>>; readonly merged: PartDigest };

/** Lines that take about as long as the start of a thread. */
const fewLines = 50_000;

/**
 * Reads files of lines from start to end, and writes `records.offsets` of the kept lines into a release's folder.
 * @param isMerging true to write the kept lines to `records`, too
 * @param onProgress called with the number of kept lines so far
 */
export async function findLines(
  folder: string,
  files: LineFiles,
  steps: readonly LineStep[],
  isMerging: boolean,
  onProgress: (lines: number) => void,
): Promise<FoundLines> {
  const order: LinesOrder = { ...newBlockOrder(1), folder, files, steps, isMerging };
  const lines = steps.reduce((sum, step) => sum + step.lines, 0);
  let found: FoundLines | undefined;
  await withThreads(new BlockThreads(lines > fewLines ? 1 : 0), (threads) =>
    threads.run(new URL(import.meta.url), order, (result: number | FoundLines) => {
      if (typeof result === "number") onProgress(result);
      else found = result;
    }),
  );
  if (found === undefined) throw new Error("a thread that finds lines ended without a result");
  return found;
}

/** Lines between two reports of progress. */
const linesPerReport = 20_000;

/** Finds the lines of an order, which is one block; `BlockThreads` calls it. */
export async function* work(
  { folder, files, steps, isMerging }: LinesOrder,
  blocks: Iterable<number>,
): AsyncGenerator<number | FoundLines> {
  for (const _ of blocks) {
    const readers: Record<string, LineReader> = {};
    let writer: LineWriter | undefined;
    try {
      for (const [name, path] of Object.entries(files)) readers[name] = await LineReader.open(path);
      writer = await LineWriter.open(folder, isMerging);
      let reported = 0;
      for (const { from, isKept, lines } of steps)
        for await (const run of (readers[from] as LineReader).take(lines)) {
          if (!isKept) continue;
          await writer.add(run);
          if (writer.lines - reported < linesPerReport) continue;
          reported = writer.lines;
          yield reported;
        }
      yield writer.lines;
      const read: Record<string, ReadFile> = {};
      for (const [name, reader] of Object.entries(readers)) read[name] = await reader.finish();
      yield { files: read, merged: await writer.finish() };
    } finally {
      await allEnded(
        ...Object.values(readers).map((reader) => reader.close()),
        writer?.close() ?? Promise.resolve(),
      );
    }
  }
}
