// Scans rows of an order by conditions: counts the matching rows chunk by chunk, then collects those of a page.
import { maxBlock } from "../release/columns.ts";
import { countSpans, cutSpans, type Spans, visitRuns } from "./bits.ts";
import {
  type Condition,
  countHits,
  findRows,
  type OpenColumn,
  type OpenCondition,
  openCondition,
  seekAllBytes,
} from "./hits.ts";
import type { Checkpoint } from "./texts.ts";

/** The rows to scan, and the conditions, the rarest first. Threads that scan them together share `progress`. */
export type ScanJob = {
  /** Spans of at most `maxBlock` rows. A thread takes one after the other. */
  readonly chunks: Spans;
  /** In an order by text, the texts whose rows are scanned, and the column with the first row of each text. */
  readonly texts?: Condition | undefined;
  /** One at least. */
  readonly conditions: readonly Condition[];
  /** Matches after which no further chunk needs to be counted. */
  readonly wanted: number;
  readonly progress: Int32Array;
};

/**
 * Layout of `progress`: the next chunk to count; the number of counted chunks; the matches in them; 1 if a thread failed; then
 * the matches of each chunk.
 */
const [nextAt, countedAt, matchesAt, failedAt, chunksAt] = [0, 1, 2, 3, 4];

/** Milliseconds after which a thread that waits for others checks whether the search was given up. */
const patience = 5;

export function newJob(spans: Spans, work: Pick<ScanJob, "texts" | "conditions" | "wanted">): ScanJob {
  const chunks = cutSpans(spans, maxBlock);
  const progress = new Int32Array(new SharedArrayBuffer((chunksAt + chunks.length / 2) * 4));
  return { ...work, chunks, progress };
}

/** Makes all threads stop. */
export function failJob({ progress, chunks }: ScanJob): void {
  Atomics.store(progress, failedAt, 1);
  Atomics.store(progress, nextAt, chunks.length);
}

/** One thread's part in a job. */
export class Scan {
  readonly #job: ScanJob;
  readonly #texts: OpenCondition | undefined;
  readonly #conditions: readonly OpenCondition[];
  readonly #checkpoint: Checkpoint;
  #counted = 0; // chunks
  #rows: Int32Array | undefined;

  /** @param checkpoint called before each chunk */
  constructor(job: ScanJob, open: OpenColumn, checkpoint: Checkpoint) {
    this.#job = job;
    this.#texts = job.texts && openCondition(job.texts, open);
    this.#conditions = job.conditions.map((condition) => openCondition(condition, open));
    this.#checkpoint = checkpoint;
  }

  /** Counts chunks that no other thread has taken, until none is left or enough matches are known. */
  countChunks(): void {
    const { progress, chunks, wanted } = this.#job;
    try {
      while (Atomics.load(progress, matchesAt) < wanted) {
        this.#checkpoint();
        const chunk = Atomics.add(progress, nextAt, 1);
        if (chunk >= chunks.length / 2) return;
        const matches = this.#countChunk(chunk);
        Atomics.store(progress, chunksAt + chunk, matches);
        Atomics.add(progress, matchesAt, matches);
        Atomics.add(progress, countedAt, 1);
        Atomics.notify(progress, countedAt);
      }
    } catch (error) {
      failJob(this.#job);
      throw error;
    }
  }

  /** Ends the counting: no thread takes another chunk. Returns the matches of all chunks that were taken. */
  endCounting(): number {
    const { progress, chunks } = this.#job;
    this.#counted = Math.min(Atomics.exchange(progress, nextAt, chunks.length), chunks.length / 2);
    for (;;) {
      const counted = Atomics.load(progress, countedAt);
      if (counted === this.#counted) return Atomics.load(progress, matchesAt);
      if (Atomics.load(progress, failedAt) === 1) throw new Error("a thread failed that took part in a scan");
      this.#checkpoint();
      Atomics.wait(progress, countedAt, counted, patience);
    }
  }

  /** The matching rows after the first `offset`, at most `limit`, of the chunks that were counted. */
  collect(offset: number, limit: number): number[] {
    const rows: number[] = [];
    let left = offset; // matches to skip
    for (let chunk = 0; chunk < this.#counted && rows.length < limit; chunk++) {
      const matches = this.#job.progress[chunksAt + chunk] as number;
      if (matches > left) {
        this.#checkpoint();
        for (const row of this.#collectChunk(chunk, left + limit - rows.length).slice(left)) rows.push(row);
      }
      left = Math.max(0, left - matches);
    }
    return rows;
  }

  #countChunk(chunk: number): number {
    const [first, ...others] = this.#conditions as [OpenCondition, ...OpenCondition[]];
    const isSimple = others.length === 0 && first.ranks === undefined;
    let matches = 0;
    this.#visitSpans(chunk, (from, to) => {
      matches += isSimple ? countHits(first, from, to) : this.#findRows(from, to).length;
    });
    return matches;
  }

  /** The rows of a chunk that meet all conditions, at most `limit`. */
  #collectChunk(chunk: number, limit: number): number[] {
    const rows: number[] = [];
    this.#visitSpans(chunk, (from, to) => {
      if (rows.length >= limit) return;
      for (const row of this.#findRows(from, to).subarray(0, limit - rows.length)) rows.push(row);
    });
    return rows;
  }

  #findRows(from: number, to: number): Int32Array {
    this.#rows ??= new Int32Array(Math.min(maxBlock, countSpans(this.#job.chunks)));
    return findRows(this.#conditions, from, to, this.#rows);
  }

  /** Calls `visit` with the runs of rows of a chunk that need a check. */
  #visitSpans(chunk: number, visit: (from: number, to: number) => void): void {
    const { chunks } = this.#job;
    const [from, to] = [chunks[2 * chunk] as number, chunks[2 * chunk + 1] as number];
    if (this.#texts === undefined) {
      visit(from, to);
      return;
    }
    let isFirst = true;
    visitRows(this.#texts, from, to, (first, end) => {
      if (isFirst) seekAllBytes(this.#conditions, from, to); // one read, instead of one for each list
      isFirst = false;
      visit(first, end);
    });
  }
}

/** Calls `visit` with runs of the rows, from `from` up to, but not including, `to`, that have one of the texts. */
function visitRows(
  { column: starts, bits }: OpenCondition,
  from: number,
  to: number,
  visit: (from: number, to: number) => void,
): void {
  const base = (starts.findFirst(from + 1, 0, starts.length) - 1) & ~31; // the text of row `from`, or one before it
  const end = starts.findFirst(to, 0, starts.length);
  visitRuns(bits.subarray(base >>> 5, (end + 31) >>> 5), (text, stop) => {
    const [first, last] = [starts.at(base + text), starts.at(base + stop)];
    if (first < to && last > from) visit(Math.max(first, from), Math.min(last, to));
  });
}
