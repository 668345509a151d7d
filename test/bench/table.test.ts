// Tests the format of tables.
import { expect, test } from "vitest";
import { formatTable } from "./table.ts";

test("aligns numbers right and text left, and escapes a pipe in a cell", () => {
  expect(formatTable(["what", "ms"], [["a|b", "1.00"]], 1)).toBe(
    "| what | ms |\n| :--- | ---: |\n| a\\|b | 1.00 |",
  );
});
