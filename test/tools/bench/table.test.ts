// Tests the format of tables.
import { expect, test } from "vitest";
import { formatCsv, formatList, formatTable } from "../../../tools/bench/table.ts";

test("aligns numbers right and text left, and escapes a pipe in a cell", () => {
  expect(formatTable(["what", "ms"], [["a|b", "1.00"]], 1)).toBe(
    "| what | ms |\n| :--- | ---: |\n| a\\|b | 1.00 |",
  );
});

test("lists names with their values", () => {
  expect(
    formatList([
      ["p50, ms", "0.59"],
      ["grants", "1,234"],
    ]),
  ).toBe("- p50, ms: 0.59\n- grants: 1,234");
});

test("writes CSV with quotes where needed, and numbers without thousands separators", () => {
  expect(formatCsv(["a, b", "ms"], [["x", "> 1,234"]])).toBe('"a, b",ms\nx,> 1234\n');
});
