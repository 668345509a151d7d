// Reads record lines of an open release by their positions.
import { closeSync, fstatSync, openSync, read, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { offsetBytes, parts, readOffset } from "./layout.ts";

/** Runs of lines per turn of the event loop. A run outside the page cache takes two reads of the disk, or one if offsets are held. */
const runsInTurn = 10;

/** Lines per offset held in memory. Reading eight lines takes hardly longer than reading one. */
const linesInGroup = 8;

/** Offsets read at once to hold those of groups: few enough to block the event loop for less than a millisecond. */
const heldAtOnce = 32_768 * linesInGroup;

const newline = "\n".charCodeAt(0);

/** One read or write of 2^31 bytes fails. */
export const bytesAtOnce = 2 ** 30;

/** The buffer that lines are copied from. */
const groupBuffer = Buffer.allocUnsafeSlow(16 * 1024);

/** Open files, which threads share. */
export type RecordFiles = {
  readonly records: number;
  readonly offsets: number;
  /** If held: the offset of the first line of each group, then the offset of the end. */
  groups?: Float64Array<SharedArrayBuffer> | undefined;
};

/**
 * The record lines of an open release. Reads are synchronous, because most hit the page cache, where the thread pool would take
 * three times as long.
 */
export class Records {
  readonly files: RecordFiles;

  constructor(files: RecordFiles) {
    this.files = files;
  }

  /** @param folder of the release @param lines the part with the lines, which may be others than records, and that with their offsets */
  static open(
    folder: string,
    [lines, offsets]: readonly [string, string] = [parts.records, parts.offsets],
  ): Records {
    const records = openSync(join(folder, lines), "r");
    try {
      return new Records({ records, offsets: openSync(join(folder, offsets), "r") });
    } catch (error) {
      closeSync(records);
      throw error;
    }
  }

  /** Holds the offset of each group in memory, if `bytes` suffice: lines then need one read, not two. @returns the bytes taken */
  async hold(bytes: number): Promise<number> {
    this.files.groups = undefined;
    const lines = fstatSync(this.files.offsets).size / offsetBytes - 1;
    const count = Math.ceil(lines / linesInGroup) + 1;
    const memory = count * Float64Array.BYTES_PER_ELEMENT;
    if (memory > bytes) return 0;
    const groups = new Float64Array(new SharedArrayBuffer(memory));
    for (let line = 0; line < lines; line += heldAtOnce) {
      const some = Buffer.allocUnsafe(Math.min(heldAtOnce, lines - line) * offsetBytes);
      await readLater(this.files.offsets, some, line * offsetBytes);
      for (let index = 0; index < some.length / offsetBytes; index += linesInGroup)
        groups[(line + index) / linesInGroup] = readOffset(some, index);
    }
    groups[count - 1] = this.readEnd(lines);
    this.files.groups = groups;
    return memory;
  }

  /** The lines of the positions `from` to `to`, each with its line end; in `scratch` if they fit. */
  readRange(from: number, to: number, scratch?: Buffer): Buffer {
    if (to <= from) return Buffer.alloc(0);
    const { groups } = this.files;
    if (groups !== undefined) {
      const { start, length } = spanOf(groups, from, to);
      return cutLines(groups, from, to, readFully(this.files.records, start, length, scratch));
    }
    const offsets = this.#readOffsets(from, to - from + 1);
    const start = readOffset(offsets, 0);
    const end = readOffset(offsets, to - from);
    return readFully(this.files.records, start, end - start, scratch);
  }

  /** The same as `readRange`; `starts` has where each line starts in `lines`, then where the last one ends. */
  readRun(from: number, to: number): { lines: Buffer; starts: number[] } {
    const offsets = this.#readOffsets(from, to - from + 1);
    const start = readOffset(offsets, 0);
    const starts = Array.from({ length: to - from + 1 }, (_, index) => readOffset(offsets, index) - start);
    return { lines: readFully(this.files.records, start, starts[to - from] ?? 0), starts };
  }

  /** The lines of positions, in their order. Neighbors are read in one go. @param checkpoint runs before each read; may throw */
  readLines(positions: readonly number[], checkpoint = () => {}): Buffer {
    const runs: Buffer[] = [];
    for (const [from, to] of findRuns(positions)) {
      checkpoint();
      runs.push(this.#readOwn(from, to));
    }
    return joinRuns(runs);
  }

  /** Like `readLines`, but the event loop serves other requests in between, because lines outside the page cache take long. */
  async readLinesInTurns(positions: readonly number[]): Promise<Buffer> {
    const runs: Buffer[] = [];
    for (const [from, to] of findRuns(positions)) {
      if (runs.length > 0 && runs.length % runsInTurn === 0) await setImmediate();
      runs.push(this.#readOwn(from, to));
    }
    return joinRuns(runs);
  }

  /** The lines of a run, in new memory. */
  #readOwn(from: number, to: number): Buffer {
    const lines = this.readRange(from, to, groupBuffer);
    return lines.buffer === groupBuffer.buffer ? Buffer.from(lines) : lines;
  }

  /** The size of the first `count` lines in bytes. */
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

/** The bytes of the groups that contain the lines `from` to `to`. */
function spanOf(groups: Float64Array, from: number, to: number): { start: number; length: number } {
  const start = groups[Math.floor(from / linesInGroup)] as number;
  return { start, length: (groups[Math.ceil(to / linesInGroup)] as number) - start };
}

/** The lines `from` to `to`. @param bytes of the groups that contain them */
function cutLines(groups: Float64Array, from: number, to: number, bytes: Buffer): Buffer {
  const offsetOf = (line: number) => groups[Math.floor(line / linesInGroup)] as number;
  return bytes.subarray(
    skipLines(bytes, 0, from % linesInGroup),
    skipLines(bytes, offsetOf(to) - offsetOf(from), to % linesInGroup),
  );
}

/** Where the line starts that follows `lines` lines after byte `at`. */
function skipLines(bytes: Buffer, at: number, lines: number): number {
  for (let left = lines; left > 0; left--) at = bytes.indexOf(newline, at) + 1;
  return at;
}

/** The runs of neighbors in a list of positions; `to` is exclusive. */
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

/** Bytes of an open part, in `scratch` if they fit. @throws Error if the part is shorter */
export function readFully(file: number, position: number, length: number, scratch?: Buffer): Buffer {
  const hasRoom = scratch !== undefined && length <= scratch.length;
  const bytes = hasRoom ? scratch.subarray(0, length) : Buffer.allocUnsafe(length);
  readInto(file, bytes, position);
  return bytes;
}

const readInPool = promisify(read);

/** Like `readInto`, but in the thread pool. */
export async function readLater(file: number, bytes: Uint8Array, position: number): Promise<void> {
  const { bytesRead } = await readInPool(file, bytes, 0, bytes.length, position);
  if (bytesRead < bytes.length) readInto(file, bytes.subarray(bytesRead), position + bytesRead);
}

/** Fills an array with bytes of an open part. @throws Error if the part is shorter */
export function readInto(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, Math.min(bytes.length - done, bytesAtOnce), position + done);
    if (read === 0) throw new Error(`a part of the release ends before byte ${position + bytes.length}`);
    done += read;
  }
}

/** A copy of pieces in memory that threads share: a message to a thread does not clone it. */
export function shareBytes(...pieces: readonly Uint8Array[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const shared = Buffer.from(new SharedArrayBuffer(length));
  let end = 0;
  for (const piece of pieces) {
    shared.set(piece, end);
    end += piece.length;
  }
  return shared;
}
