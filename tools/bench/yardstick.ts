// Measures the yardstick of searches: how long one thread takes to look at one text id of every record by a bit set.
import { median } from "./statistics.ts";

const passes = 9;

/** Records that share a text, on average; real purposes are shared by more, names by fewer. */
const recordsPerText = 8;

/**
 * @returns milliseconds of one pass, the median of several. Ids are distributed by Zipf's law, as texts numbered by frequency are;
 * the loop has no branches and four steps a turn, so that it measures memory and arithmetic alone.
 */
export function measureYardstick(records: number): number {
  const texts = Math.max(1, Math.ceil(records / recordsPerText));
  const golden = 0.618_033_988_749_895; // its multiples spread evenly between 0 and 1
  const ids = Int32Array.from(
    { length: records },
    (_, index) => Math.floor(texts ** ((index * golden) % 1)) - 1,
  );
  const bits = new Int32Array(Math.ceil(texts / 32)).fill(0x5555_5555);
  const times = Array.from({ length: passes }, () => {
    const start = performance.now();
    const found = countFound(ids, bits);
    if (found > records) throw new Error("the yardstick counted more records than there are");
    return performance.now() - start;
  });
  return median(times);
}

/** The number of ids whose bit is set. */
export function countFound(ids: Int32Array, bits: Int32Array): number {
  const bitOf = (id: number) => ((bits[id >>> 5] as number) >>> (id & 31)) & 1;
  const last = ids.length - (ids.length % 4);
  let found = 0;
  for (let at = 0; at < last; at += 4) {
    found += bitOf(ids[at] as number) + bitOf(ids[at + 1] as number);
    found += bitOf(ids[at + 2] as number) + bitOf(ids[at + 3] as number);
  }
  for (let at = last; at < ids.length; at++) found += bitOf(ids[at] as number);
  return found;
}
