// Tests that the yardstick counts every id once.
import { expect, test } from "vitest";
import { countFound, measureYardstick } from "../../../tools/bench/yardstick.ts";

test("counts the ids whose bit is set, at any length", () => {
  const bits = Int32Array.of(0b1010, 1); // the bits 1, 3 and 32
  for (const ids of [[], [1], [0, 1, 2, 3], [1, 3, 32, 33, 31], [32, 32, 32, 32, 32, 32, 32]])
    expect(countFound(Int32Array.from(ids), bits), ids.join()).toBe(
      ids.filter((id) => [1, 3, 32].includes(id)).length,
    );
});

test("takes some time for any number of records", () => {
  for (const records of [1, 5, 1_000]) expect(measureYardstick(records)).toBeGreaterThan(0);
});
