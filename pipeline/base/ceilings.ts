// Defines how much a release can hold. More is refused as soon as it is known, instead of built wrong.
import { recordsMax } from "../../api-static/release/layout.ts";
import { InputError } from "./failure.ts";

const int32Max = 2 ** 31 - 1;

const ceilings = {
  /** Known from the footers, before a row is read. */
  rows: { max: recordsMax, unit: "rows" },
  /** The server holds all types in memory, as texts. */
  types: { max: 1_000_000, unit: "distinct types" },
  /** Words of the distinct texts: as many as spaces, and one more for each text. */
  words: { max: int32Max, unit: "words" },
  /** Columns of where lists start are signed 32-bit integers. */
  starts: { max: int32Max, unit: "values" },
  /** Words and places of organizations are numbered in Maps, whose size V8 limits. */
  numbered: { max: 2 ** 24, unit: "distinct values" },
} as const;

/**
 * @param where the values are, as the message starts
 * @throws InputError if there are more than a release can hold
 */
export function checkCeiling(of: keyof typeof ceilings, count: number, where: string): void {
  const { max, unit } = ceilings[of];
  if (count > max)
    throw new InputError(`${where} has ${count} ${unit}; a release holds at most ${max}: see docs/scale.md`);
}
