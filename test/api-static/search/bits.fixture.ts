// Adds integers to a set one by one: the simple rule that sets are made by in tests.
import type { Bits } from "../../../api-static/search/bits.ts";

/** Adds the integers `from` up to, but not including, `to`. */
export function addRange(bits: Bits, from: number, to: number): void {
  for (let one = from; one < to; one++) bits[one >>> 5] = (bits[one >>> 5] as number) | (1 << one);
}
