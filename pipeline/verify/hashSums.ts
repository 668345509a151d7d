// Adds up hashes of keys and values. Two sums are equal if both are of the same pairs, in any order; one wrong value always changes a sum,
// several do so with a chance of 2^-32 to be missed.

/** Mixes the bits of an integer. */
export function mix(value: number): number {
  const half = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
}

/** One integer for two. */
export const fold = (low: number, high: number) => mix(low) ^ Math.imul(high, 0x9e3779b1);

/** Mixes keys, e.g., ranks, for `addUp`. */
export function mixAll(keys: Int32Array): Int32Array {
  const mixed = new Int32Array(keys.length);
  for (let row = 0; row < keys.length; row++) mixed[row] = mix(keys[row] as number);
  return mixed;
}

/** Adds up hashes of mixed keys and values: of all rows, or of those that have a bit. */
export function addUp(keys: Int32Array, values: Int32Array, flags?: Uint8Array, bit = 0): number {
  let sum = 0;
  for (let row = 0; row < values.length; row++) {
    if (flags !== undefined && ((flags[row] as number) & bit) === 0) continue;
    const hash = mix((keys[row] as number) ^ (values[row] as number));
    sum = (sum + (hash ^ (hash >>> 16))) | 0;
  }
  return sum;
}

/** Halves of 64-bit integers, each pair as one integer. */
export function foldPairs(halves: Int32Array): Int32Array {
  return Int32Array.from({ length: halves.length / 2 }, (_, row) =>
    fold(halves[2 * row] as number, halves[2 * row + 1] as number),
  );
}
