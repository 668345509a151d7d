// Tests that more than a release can hold is refused with the number, the limit and where to go.
import { expect, it } from "vitest";
import { recordsMax } from "../../../api-static/release/layout.ts";
import { checkCeiling } from "../../../pipeline/base/ceilings.ts";
import { InputError } from "../../../pipeline/base/failure.ts";

it("accepts as many rows as a release can hold, and refuses one more", () => {
  const where = 'WAREHOUSE "w"';
  expect(() => checkCeiling("rows", recordsMax, where)).not.toThrow();
  const message = `WAREHOUSE "w" has ${recordsMax + 1} rows; a release holds at most ${recordsMax}: see docs/scale.md`;
  expect(() => checkCeiling("rows", recordsMax + 1, where)).toThrow(new InputError(message));
});
