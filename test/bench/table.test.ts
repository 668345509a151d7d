// Proves the form of tables.
import { expect, test } from "vitest";
import { formatTable } from "./table.ts";

test("figures end on the right, words begin on the left, and a bar in a cell is no border", () => {
  expect(formatTable(["what", "ms"], [["a|b", "1.00"]], 1)).toBe(
    "| what | ms |\n| :--- | ---: |\n| a\\|b | 1.00 |",
  );
});
