// Scans rows of an order by conditions: counts the matching rows chunk by chunk, then collects those of a page.
import { type Column, maxBlock } from "../release/columns.ts";
import { type Bits, hasBit, visitRuns } from "./bits.ts";
import { cutSpans, type Spans } from "./spans.ts";
import type { Checkpoint } from "./texts.ts";

/** A row meets it if its value in the column is in the set, which threads can share. */
export type Condition = {
  readonly column: string;
  readonly bits: Bits;
  /** The column with each row's rank, if the values are by rank instead. */
  readonly ranks?: string | undefined;
};

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

  /**
   * @param open opens a column
   * @param checkpoint called before each chunk
   */
  constructor(job: ScanJob, open: (column: string) => Column, checkpoint: Checkpoint) {
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
    this.#rows ??= new Int32Array(maxBlock);
    return findRows(this.#conditions, from, to, this.#rows);
  }

  /** Calls `visit` with the runs of rows of a chunk that need a check. */
  #visitSpans(chunk: number, visit: (from: number, to: number) => void): void {
    const { chunks } = this.#job;
    const [from, to] = [chunks[2 * chunk] as number, chunks[2 * chunk + 1] as number];
    if (this.#texts === undefined) visit(from, to);
    else visitRows(this.#texts, from, to, visit);
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

export type OpenCondition = {
  readonly column: Column;
  readonly bits: Bits;
  readonly ranks: Column | undefined;
};

/** @param open opens a column */
export function openCondition(
  { column, bits, ranks }: Condition,
  open: (column: string) => Column,
): OpenCondition {
  return { column: open(column), bits, ranks: ranks === undefined ? undefined : open(ranks) };
}

/**
 * The rows `from` up to, but not including, `to` that meet all conditions; all if there are none.
 * @param rows holds them; at least as long as the rows are many
 */
export function findRows(
  conditions: readonly OpenCondition[],
  from: number,
  to: number,
  rows: Int32Array,
): Int32Array {
  const [first] = conditions;
  const isFound = first !== undefined && first.ranks === undefined;
  let count = isFound ? findHits(first, from, to, rows) : numberRows(rows, from, to);
  for (const { column, bits, ranks } of isFound ? conditions.slice(1) : conditions) {
    if (count === 0) break;
    if (ranks !== undefined) count = keepByRank(column, bits, ranks, rows, count);
    else if (count * sparseRows < to - from) count = keepSparse(column, bits, rows, count);
    else {
      column.seek(from, to);
      count = keepHits(column.block, column.from, bits, rows, count);
    }
  }
  return rows.subarray(0, count);
}

/** Rows per row to check from which reading the values one by one is faster than reading all of them from the file. */
const sparseRows = 512;

// The loops have no branches, which the processor could not predict.

/** Writes the rows that meet a condition; returns how many there are. Most rows do not, so four of them are looked at together. */
function findHits({ column, bits }: OpenCondition, from: number, to: number, rows: Int32Array): number {
  column.seek(from, to);
  const { block, from: base } = column;
  const stop = to - base;
  let [at, hits] = [from - base, 0];
  for (; at + 4 <= stop; at += 4) {
    const one = block[at] as number;
    const two = block[at + 1] as number;
    const three = block[at + 2] as number;
    const four = block[at + 3] as number;
    const first = ((bits[one >>> 5] as number) >>> one) & 1;
    const second = ((bits[two >>> 5] as number) >>> two) & 1;
    const third = ((bits[three >>> 5] as number) >>> three) & 1;
    const fourth = ((bits[four >>> 5] as number) >>> four) & 1;
    if ((first | second | third | fourth) === 0) continue;
    rows[hits] = base + at;
    hits += first;
    rows[hits] = base + at + 1;
    hits += second;
    rows[hits] = base + at + 2;
    hits += third;
    rows[hits] = base + at + 3;
    hits += fourth;
  }
  for (; at < stop; at++) {
    const value = block[at] as number;
    rows[hits] = base + at;
    hits += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return hits;
}

/** Writes all rows; returns how many there are. */
function numberRows(rows: Int32Array, from: number, to: number): number {
  for (let row = from; row < to; row++) rows[row - from] = row;
  return to - from;
}

/** Keeps the first `count` of the rows whose value is in the set; returns how many there are. */
function keepHits(block: Int32Array, base: number, bits: Bits, rows: Int32Array, count: number): number {
  let hits = 0;
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    const value = block[row - base] as number;
    rows[hits] = row;
    hits += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return hits;
}

/** Does the same for few of many rows. */
function keepSparse(column: Column, bits: Bits, rows: Int32Array, count: number): number {
  let hits = 0;
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    rows[hits] = row;
    if (hasBit(bits, column.at(row))) hits += 1;
  }
  return hits;
}

/** Does the same for values by rank. */
function keepByRank(column: Column, bits: Bits, ranks: Column, rows: Int32Array, count: number): number {
  let hits = 0;
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    rows[hits] = row;
    if (hasBit(bits, column.at(ranks.at(row)))) hits += 1;
  }
  return hits;
}

/** The number of rows that meet a condition. Takes four rows in each turn, which the processor works on in parallel. */
function countHits({ column, bits }: OpenCondition, from: number, to: number): number {
  column.seek(from, to);
  const { block } = column;
  const stop = to - column.from;
  let [at, hits] = [from - column.from, 0];
  for (; at + 4 <= stop; at += 4) {
    const one = block[at] as number;
    const two = block[at + 1] as number;
    const three = block[at + 2] as number;
    const four = block[at + 3] as number;
    hits +=
      (((bits[one >>> 5] as number) >>> one) & 1) +
      (((bits[two >>> 5] as number) >>> two) & 1) +
      (((bits[three >>> 5] as number) >>> three) & 1) +
      (((bits[four >>> 5] as number) >>> four) & 1);
  }
  for (; at < stop; at++) {
    const value = block[at] as number;
    hits += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return hits;
}
