// Copies ranges of lines of two files into a new `records`, in a worker thread: this one writes the index meanwhile.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { offsetBytes, readOffset, writeOffset } from "../../../api-static/release/layout.ts";
import { readInto } from "../../../api-static/release/records.ts";
import { type BlockOrder, BlockThreads, newBlockOrder, withThreads } from "../../base/blocks.ts";
import type { PartDigest } from "../../releases/manifest.ts";
import { fewLines, type LineFile } from "./findLines.ts";
import { WrittenFile } from "./writtenFile.ts";

/** Consecutive lines of one of the files, and whether the new file has them. */
export type LineStep = {
  readonly from: "before" | "fresh";
  readonly isKept: boolean;
  readonly lines: number;
};

/** The files whose lines are copied, by where the steps take them from, and the new one. */
export type MergedFiles = Readonly<Record<LineStep["from"] | "merged", LineFile>>;

/** The digests of what was read of the previous lines, and of both new files. */
export type MergedLines = {
  readonly before: PartDigest;
  readonly lines: PartDigest;
  readonly offsets: PartDigest;
};

type MergeOrder = BlockOrder & { readonly files: MergedFiles; readonly steps: readonly LineStep[] };

/** Lines whose offsets are read at a time. */
const linesAtOnce = 2 ** 15;

/** Bytes that are copied at a time: few enough that they stay in the cache of the core that digests them. */
const chunkBytes = 2 ** 20;

/**
 * Writes a file of lines and that of their offsets.
 * @param files whose offsets are known to be right. If the lines of one are shorter, the copy ends there, so that what was read does
 * not have the digest of the whole file
 * @param steps take both files from start to end
 * @param onProgress called with the number of lines so far
 */
export async function mergeLines(
  files: MergedFiles,
  steps: readonly LineStep[],
  onProgress: (lines: number) => void,
): Promise<MergedLines> {
  const order: MergeOrder = { ...newBlockOrder(1), files, steps };
  const lines = steps.reduce((sum, step) => sum + step.lines, 0);
  let merged: MergedLines | undefined;
  await withThreads(new BlockThreads(lines > fewLines ? 1 : 0), (threads) =>
    threads.run(new URL(import.meta.url), order, (result: number | MergedLines) => {
      if (typeof result === "number") onProgress(result);
      else merged = result;
    }),
  );
  if (merged === undefined) throw new Error("a thread that merges lines ended without a result");
  return merged;
}

/** Copies the lines of an order, which is one block; `BlockThreads` calls it. */
export function* work(
  { files, steps }: MergeOrder,
  blocks: Iterable<number>,
): Generator<number | MergedLines> {
  for (const _ of blocks) {
    const opened: { close(): void }[] = [];
    const keep = <File extends { close(): void }>(file: File) => {
      opened.push(file);
      return file;
    };
    try {
      const [before, fresh] = [keep(new LineSource(files.before)), keep(new LineSource(files.fresh))];
      const [lines, offsets] = [files.merged.lines, files.merged.offsets].map((path) =>
        keep(new WrittenFile(path)),
      ) as [WrittenFile, WrittenFile];
      const merged = { lines, offsets };
      offsets.append(Buffer.alloc(offsetBytes)); // the first line starts at 0
      yield* copySteps({ before, fresh }, steps, merged);
      yield { before: before.finish(), lines: lines.finish(), offsets: offsets.finish() };
    } finally {
      for (const file of opened) file.close();
    }
  }
}

type MergedFile = { readonly lines: WrittenFile; readonly offsets: WrittenFile };

/** Yields the number of lines so far. */
function* copySteps(
  sources: Readonly<Record<LineStep["from"], LineSource>>,
  steps: readonly LineStep[],
  merged: MergedFile,
): Generator<number> {
  let count = 0;
  for (const { from, isKept, lines } of steps)
    for (let done = 0; done < lines; done += linesAtOnce) {
      const some = Math.min(linesAtOnce, lines - done);
      if (!sources[from].copy(some, isKept ? merged : undefined)) return;
      if (isKept) count += some;
      yield count;
    }
}

/** A file of lines that is read once, from start to end. */
class LineSource {
  readonly #lines: number;
  readonly #offsets: number;
  readonly #table = Buffer.allocUnsafe(linesAtOnce * offsetBytes);
  readonly #chunk = Buffer.allocUnsafe(chunkBytes);
  readonly #digest = createHash("sha256");
  /** Lines and bytes so far. */
  #count = 0;
  #bytes = 0;

  constructor({ lines, offsets }: LineFile) {
    this.#offsets = openSync(offsets, "r");
    try {
      this.#lines = openSync(lines, "r");
    } catch (error) {
      closeSync(this.#offsets);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#lines);
    closeSync(this.#offsets);
  }

  /** Copies the next lines, or passes over them. Returns whether all of them were there. */
  copy(count: number, merged: MergedFile | undefined): boolean {
    const ends = this.#table.subarray(0, count * offsetBytes);
    readInto(this.#offsets, ends, (this.#count + 1) * offsetBytes); // the first offset is that of the first line's start
    this.#count += count;
    const end = readOffset(ends, count - 1);
    if (merged !== undefined) {
      const shift = merged.lines.bytes - this.#bytes;
      for (let line = 0; line < count; line++) writeOffset(ends, line, readOffset(ends, line) + shift);
      merged.offsets.append(ends);
    }
    while (this.#bytes < end) {
      const bytes = this.#read(Math.min(chunkBytes, end - this.#bytes));
      if (bytes.length === 0) return false;
      merged?.lines.append(bytes);
    }
    return true;
  }

  /** The digest of what was read, and of one byte more if there is any. */
  finish(): PartDigest {
    this.#read(1);
    return { bytes: this.#bytes, sha256: this.#digest.digest("hex") };
  }

  #read(most: number): Buffer {
    const bytes = this.#chunk.subarray(0, readSync(this.#lines, this.#chunk, 0, most, null));
    this.#digest.update(bytes);
    this.#bytes += bytes.length;
    return bytes;
  }
}
