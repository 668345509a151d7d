// Reads record lines: positions → bytes, from the open files of one release.
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { offsetBytes, parts, readOffset } from "./layout.ts";

/** Runs of lines that are read in one turn of the event loop. A run that is not in the page cache takes two reads of the disk. */
const runsInTurn = 10;

/** Open files, which threads share. */
export type RecordFiles = { readonly records: number; readonly offsets: number };

/**
 * The record lines of an open release. Reads are synchronous, because most hit the page cache: a detour through the thread
 * pool would cost ten times the read.
 */
export class Records {
  readonly files: RecordFiles;

  constructor(files: RecordFiles) {
    this.files = files;
  }

  /** @param folder the release's folder */
  static open(folder: string): Records {
    const records = openSync(join(folder, parts.records), "r");
    try {
      return new Records({ records, offsets: openSync(join(folder, parts.offsets), "r") });
    } catch (error) {
      closeSync(records);
      throw error;
    }
  }

  /**
   * The lines of the positions `from` to `to`, each with its line end.
   * @param scratch holds them, if it is long enough; otherwise they have memory of their own
   */
  readRange(from: number, to: number, scratch?: Buffer): Buffer {
    if (to <= from) return Buffer.alloc(0);
    if (to === from + 1) return this.readRun(from, to).lines; // one read less: searches read scattered lines
    const offsets = this.#readOffsets(from, to - from + 1);
    const start = readOffset(offsets, 0);
    const end = readOffset(offsets, to - from);
    return readFully(this.files.records, start, end - start, scratch);
  }

  /** Reads the same lines as `readRange`; `starts` has the offset of each line, then the offset of their end. */
  readRun(from: number, to: number): { lines: Buffer; starts: number[] } {
    const offsets = this.#readOffsets(from, to - from + 1);
    const start = readOffset(offsets, 0);
    const starts = Array.from({ length: to - from + 1 }, (_, index) => readOffset(offsets, index) - start);
    return { lines: readFully(this.files.records, start, starts[to - from] ?? 0), starts };
  }

  /**
   * The lines of these positions in this order, each with its line end. Neighboring lines are read in one go.
   * @param checkpoint called before each read; throws to end it
   */
  readLines(positions: readonly number[], checkpoint = () => {}): Buffer {
    const runs: Buffer[] = [];
    for (const [from, to] of findRuns(positions)) {
      checkpoint();
      runs.push(this.readRange(from, to));
    }
    return joinRuns(runs);
  }

  /** Like `readLines`, but other requests get their turn now and then, because lines that are not in the page cache take long. */
  async readLinesInTurns(positions: readonly number[]): Promise<Buffer> {
    const runs: Buffer[] = [];
    for (const [from, to] of findRuns(positions)) {
      if (runs.length > 0 && runs.length % runsInTurn === 0) await setImmediate();
      runs.push(this.readRange(from, to));
    }
    return joinRuns(runs);
  }

  /** Fills a buffer with the bytes of the lines from an offset on. */
  readBytes(offset: number, bytes: Buffer): Buffer {
    readInto(this.files.records, bytes, offset);
    return bytes;
  }

  /** The size of the first `count` lines in bytes, by their offsets. */
  readEnd(count: number): number {
    return readOffset(this.#readOffsets(count, 1), 0);
  }

  close(): void {
    closeSync(this.files.records);
    closeSync(this.files.offsets);
  }

  #readOffsets(position: number, count: number): Buffer {
    return readFully(this.files.offsets, position * offsetBytes, count * offsetBytes);
  }
}

/** The runs of neighbors in a list of positions: the first position of each, and the one after its last. */
function* findRuns(positions: readonly number[]): Generator<[from: number, to: number]> {
  for (let from = 0, to = 1; from < positions.length; from = to, to += 1) {
    const first = positions[from] ?? 0;
    while (positions[to] === first + to - from) to += 1;
    yield [first, first + to - from];
  }
}

function joinRuns(runs: readonly Buffer[]): Buffer {
  const [only, ...others] = runs;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(runs); // saves copying each chunk of an export
}

/** The bytes of an open part from `position`, in `scratch` if they fit. Throws if the part is shorter. */
export function readFully(file: number, position: number, length: number, scratch?: Buffer): Buffer {
  const hasRoom = scratch !== undefined && length <= scratch.length;
  const bytes = hasRoom ? scratch.subarray(0, length) : Buffer.allocUnsafe(length);
  readInto(file, bytes, position);
  return bytes;
}

/** Fills an array with the bytes of an open part from `position`. Throws if the part is shorter. */
export function readInto(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, bytes.length - done, position + done);
    if (read === 0) throw new Error(`a part of the release ends before byte ${position + bytes.length}`);
    done += read;
  }
}
