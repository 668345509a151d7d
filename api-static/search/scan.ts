// Scans rows of an order by conditions: counts the matching rows chunk by chunk, then collects those of a page.
import { type Column, maxBlock } from "../release/columns.ts";
import type { Bits } from "./bits.ts";
import { cutSpans, groupSpans, type Spans } from "./spans.ts";
import type { Checkpoint } from "./texts.ts";

/** A row meets it if its value in the column is in the set. */
export type Condition = { readonly column: string; readonly bits: Bits };

/** The rows to scan, and the conditions, the rarest first. Threads that scan them together share `progress`. */
export type ScanJob = {
  /** Spans of at most `maxBlock` rows. */
  readonly spans: Spans;
  /** The first number of each chunk in `spans`, then their length. The spans of a chunk have at most `maxBlock` rows in total. */
  readonly chunks: Int32Array;
  readonly conditions: readonly Condition[];
  /** Matches after which no further chunk needs to be counted. */
  readonly wanted: number;
  readonly progress: Int32Array;
};

/**
 * What `progress` has: the next chunk to count; the number of counted chunks; the matches in them; 1 if a thread failed; then
 * the matches of each chunk.
 */
const [nextAt, countedAt, matchesAt, failedAt, chunksAt] = [0, 1, 2, 3, 4];

/** Milliseconds after which a thread that waits for others checks whether the search was given up. */
const patience = 5;

export function newJob(spans: Spans, conditions: readonly Condition[], wanted: number): ScanJob {
  const cut = cutSpans(spans, maxBlock);
  const chunks = groupSpans(cut, maxBlock);
  const progress = new Int32Array(new SharedArrayBuffer((chunksAt + chunks.length) * 4));
  return { spans: cut, chunks, conditions, wanted, progress };
}

/**
 * The same job, to be sent to another thread: its spans and sets are copied into memory that threads share. The event loop passes
 * it on, and would otherwise copy megabytes.
 */
export function shareJob(job: ScanJob): ScanJob {
  const share = (values: Int32Array) => {
    const shared = new Int32Array(new SharedArrayBuffer(values.byteLength));
    shared.set(values);
    return shared;
  };
  const conditions = job.conditions.map((one) => ({ ...one, bits: share(one.bits) }));
  return { ...job, spans: share(job.spans), chunks: share(job.chunks), conditions };
}

/** Makes all threads stop. */
export function failJob({ progress, chunks }: ScanJob): void {
  Atomics.store(progress, failedAt, 1);
  Atomics.store(progress, nextAt, chunks.length);
}

/** One thread's part in a job. */
export class Scan {
  readonly #job: ScanJob;
  readonly #conditions: readonly OpenCondition[];
  readonly #checkpoint: Checkpoint;
  readonly #hits = new Int32Array(maxBlock);
  #counted = 0; // chunks

  /**
   * @param open opens a column
   * @param checkpoint called before each chunk
   */
  constructor(job: ScanJob, open: (column: string) => Column, checkpoint: Checkpoint) {
    this.#job = job;
    this.#conditions = job.conditions.map((one) => ({ ...one, column: open(one.column) }));
    this.#checkpoint = checkpoint;
  }

  /** Counts chunks that no other thread has taken, until none is left or enough matches are known. */
  countChunks(): void {
    const { progress, chunks, wanted } = this.#job;
    try {
      while (Atomics.load(progress, matchesAt) < wanted) {
        this.#checkpoint();
        const chunk = Atomics.add(progress, nextAt, 1);
        if (chunk >= chunks.length - 1) return;
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
    this.#counted = Math.min(Atomics.exchange(progress, nextAt, chunks.length), chunks.length - 1);
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
        this.#collectChunk(chunk);
        for (const row of this.#hits.subarray(left, Math.min(matches, left + limit - rows.length)))
          rows.push(row);
      }
      left = Math.max(0, left - matches);
    }
    return rows;
  }

  #countChunk(chunk: number): number {
    const [first, ...others] = this.#conditions as [OpenCondition, ...OpenCondition[]];
    if (others.length > 0) return this.#collectChunk(chunk);
    const { spans, chunks } = this.#job;
    const end = chunks[chunk + 1] as number;
    let matches = 0;
    for (let span = chunks[chunk] as number; span < end; span += 2)
      matches += countHits(first, spans[span] as number, spans[span + 1] as number);
    return matches;
  }

  /** Writes the matching rows of a chunk into `#hits`; returns their number. */
  #collectChunk(chunk: number): number {
    const [first, ...others] = this.#conditions as [OpenCondition, ...OpenCondition[]];
    const { spans, chunks } = this.#job;
    const end = chunks[chunk + 1] as number;
    let found = 0;
    for (let span = chunks[chunk] as number; span < end; span += 2) {
      const [from, to] = [spans[span] as number, spans[span + 1] as number];
      const before = found;
      found = collectHits(first, from, to, this.#hits, before);
      for (const other of others) {
        if (found > before) other.column.seek(from, to);
        found = filterHits(other, this.#hits, before, found);
      }
    }
    return found;
  }
}

type OpenCondition = { readonly column: Column; readonly bits: Bits };

// The loops have no branches, which the processor could not predict, and four rows in each turn, which it works on in parallel.

/** The number of rows that meet a condition. */
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

/** Adds the rows that meet a condition after the first `before` hits; returns the new number. Writes every row, keeps it by moving on. */
function collectHits(
  { column, bits }: OpenCondition,
  from: number,
  to: number,
  hits: Int32Array,
  before: number,
): number {
  column.seek(from, to);
  const { block, from: base } = column;
  const stop = to - base;
  let [at, found] = [from - base, before];
  for (; at + 4 <= stop; at += 4) {
    const one = block[at] as number;
    const two = block[at + 1] as number;
    const three = block[at + 2] as number;
    const four = block[at + 3] as number;
    const row = at + base;
    hits[found] = row;
    found += ((bits[one >>> 5] as number) >>> one) & 1;
    hits[found] = row + 1;
    found += ((bits[two >>> 5] as number) >>> two) & 1;
    hits[found] = row + 2;
    found += ((bits[three >>> 5] as number) >>> three) & 1;
    hits[found] = row + 3;
    found += ((bits[four >>> 5] as number) >>> four) & 1;
  }
  for (; at < stop; at++) {
    const value = block[at] as number;
    hits[found] = at + base;
    found += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return found;
}

/** Keeps the hits that meet a condition, of those from `before` to `count`; returns the new number. */
function filterHits(
  { column, bits }: OpenCondition,
  hits: Int32Array,
  before: number,
  count: number,
): number {
  const { block, from: base } = column;
  let [hit, found] = [before, before];
  for (; hit + 4 <= count; hit += 4) {
    const one = hits[hit] as number;
    const two = hits[hit + 1] as number;
    const three = hits[hit + 2] as number;
    const four = hits[hit + 3] as number;
    const ofOne = block[one - base] as number;
    const ofTwo = block[two - base] as number;
    const ofThree = block[three - base] as number;
    const ofFour = block[four - base] as number;
    hits[found] = one;
    found += ((bits[ofOne >>> 5] as number) >>> ofOne) & 1;
    hits[found] = two;
    found += ((bits[ofTwo >>> 5] as number) >>> ofTwo) & 1;
    hits[found] = three;
    found += ((bits[ofThree >>> 5] as number) >>> ofThree) & 1;
    hits[found] = four;
    found += ((bits[ofFour >>> 5] as number) >>> ofFour) & 1;
  }
  for (; hit < count; hit++) {
    const row = hits[hit] as number;
    const value = block[row - base] as number;
    hits[found] = row;
    found += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return found;
}
