// Looks at one integer of a set: the simple rule that the loops of searches are compared with.
import type { Bits } from "../../../api-static/search/bits.ts";

export function hasBit(bits: Bits, integer: number): boolean {
  return (((bits[integer >>> 5] as number) >>> integer) & 1) === 1;
}
