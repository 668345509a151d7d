// Sets of small integers: one bit for each, 32 in an integer.
import type { Column } from "../release/columns.ts";

/** A set of integers, e.g., ids of texts. Loops read it directly: `(bits[id >>> 5] >>> id) & 1`. */
export type Bits = Int32Array;

/** An empty set for the integers 0 to `length`, that last one included: it is the id of "no text", and never in the set. */
export function newBits(length: number): Bits {
  return new Int32Array((length >>> 5) + 1);
}

/** Adds the integers `from` up to, but not including, `to`. */
export function addRange(bits: Bits, from: number, to: number): void {
  for (let at = from; at < to; ) {
    if ((at & 31) === 0 && at + 32 <= to) {
      bits.fill(-1, at >>> 5, to >>> 5);
      at = to & ~31;
    } else {
      bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << at);
      at += 1;
    }
  }
}

/** Calls `visit` with each run of neighbors in the set, in order: its first integer, and the one after its last. */
export function visitRuns(bits: Bits, visit: (from: number, to: number) => void): void {
  let [from, to] = [0, 0]; // the run that is being collected
  for (let index = 0; index < bits.length; index++) {
    let left = bits[index] as number;
    if (left === -1 && to === index * 32) {
      to += 32;
      continue;
    }
    for (; left !== 0; left &= left - 1) {
      const at = index * 32 + 31 - Math.clz32(left & -left);
      if (at !== to) {
        if (to > from) visit(from, to);
        from = at;
      }
      to = at + 1;
    }
  }
  if (to > from) visit(from, to);
}

/** The rows of all integers in the set, whose rows start where `starts` says, and the number of runs. */
export function countRows(bits: Bits, starts: Column): { records: number; runs: number } {
  let [records, runs] = [0, 0];
  visitRuns(bits, (from, to) => {
    records += starts.at(to) - starts.at(from);
    runs += 1;
  });
  return { records, runs };
}
