// Finds where each line of a file ends, in a worker thread: this one writes the index meanwhile.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { offsetBytes, writeOffset } from "../../../api-static/release/layout.ts";
import type { FileDigest } from "../../base/digests.ts";
import { lineEnds } from "../../base/lines.ts";
import { runInThreads } from "../../base/threads.ts";

/** A file of lines, and the file of their offsets. */
type LineFile = { readonly lines: string; readonly offsets: string };

/** The digests of both, and the number of lines. */
type FoundLines = {
  readonly linesDigest: FileDigest;
  readonly offsetsDigest: FileDigest;
  readonly count: number;
};

/** Lines that take about as long as the start of a thread. */
const fewLines = 50_000;

/** Bytes that are read at a time: few enough that they stay in the cache of the core that digests and searches them. */
const chunkBytes = 2 ** 20;

/**
 * Reads a file of lines from start to end, and writes their offsets.
 * @param expected the number of lines
 * @param onProgress called with the number of lines so far
 * @throws Error if there are more or fewer lines, or something after the last one
 */
export async function findLines(
  file: LineFile,
  expected: number,
  onProgress: (lines: number) => void,
): Promise<FoundLines> {
  let found: FoundLines | undefined;
  const threads = expected > fewLines ? 1 : 0;
  await runInThreads(new URL(import.meta.url), file, threads, (result: number | FoundLines) => {
    if (typeof result === "number") onProgress(result);
    else found = result;
  });
  if (found?.count === expected) return found;
  throw new Error(`${file.lines} has ${found?.count} lines, expected ${expected}`);
}

/** Finds the lines of a file; `runInThreads` calls it. */
export function* work(file: LineFile): Generator<number | FoundLines> {
  const [lines, offsets] = [openSync(file.lines, "r"), openSync(file.offsets, "w")];
  try {
    yield* findEnds(lines, offsets, file.lines);
  } finally {
    closeSync(offsets);
    closeSync(lines);
  }
}

/** Yields the number of lines so far, and what was found at last. */
function* findEnds(lines: number, offsets: number, path: string): Generator<number | FoundLines> {
  const [linesDigest, offsetsDigest] = [createHash("sha256"), createHash("sha256")];
  const append = (table: Buffer) => {
    writeFileSync(offsets, table); // `writeSync` may write only a part, without an error
    offsetsDigest.update(table);
  };
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let [bytes, count, lastEnd] = [0, 0, 0];
  append(Buffer.alloc(offsetBytes)); // the first line starts at 0
  for (let read = -1; read !== 0; bytes += read) {
    read = readSync(lines, chunk, 0, chunkBytes, null);
    const some = chunk.subarray(0, read);
    linesDigest.update(some);
    const ends = lineEnds(some);
    const table = Buffer.allocUnsafe(ends.length * offsetBytes);
    for (const [index, end] of ends.entries()) {
      lastEnd = bytes + end;
      writeOffset(table, index, lastEnd);
    }
    append(table);
    count += ends.length;
    yield count;
  }
  if (bytes > lastEnd) throw new Error(`${path} has ${bytes - lastEnd} bytes after its last line`);
  yield {
    linesDigest: { bytes, sha256: linesDigest.digest("hex") },
    offsetsDigest: { bytes: (count + 1) * offsetBytes, sha256: offsetsDigest.digest("hex") },
    count,
  };
}
