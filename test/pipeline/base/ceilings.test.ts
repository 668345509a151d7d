// Tests that more than a release can hold is refused with the number, the limit and where to go.
import { expect, it } from "vitest";
import { recordsMax } from "../../../api-static/release/layout.ts";
import { checkCeiling } from "../../../pipeline/base/ceilings.ts";
import { InputError } from "../../../pipeline/base/failure.ts";

it.each([
  ["rows", recordsMax, "rows"],
  ["types", 1_000_000, "distinct types"],
  ["words", 2_147_483_647, "words"],
  ["starts", 2_147_483_647, "values"],
  ["numbered", 16_777_216, "distinct values"],
] as const)("accepts as many %s as a release can hold, and refuses one more", (of, max, unit) => {
  const where = 'WAREHOUSE "w"';
  expect(() => checkCeiling(of, max, where)).not.toThrow();
  const message = `WAREHOUSE "w" has ${max + 1} ${unit}; a release holds at most ${max}: see docs/scale.md`;
  expect(() => checkCeiling(of, max + 1, where)).toThrow(new InputError(message));
});
