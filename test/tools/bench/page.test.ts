// Tests that the benchmark page keeps every section that was not measured again.
import { expect, test } from "vitest";
import { putSection } from "../../../tools/bench/page.ts";

const titles = ["Sync", "Search", "Pages"];

test("keeps sections in the order of the parts, in any order of measurement", () => {
  const search = putSection("", titles, "Search", "fast\n");
  const both = putSection(search, titles, "Sync", "\nslow");
  expect(both).toContain("\n## Sync\n\nslow\n\n## Search\n\nfast\n");
  expect(both.startsWith("# Benchmarks\n")).toBe(true);
});

test("replaces a section that is measured again and keeps the others byte for byte", () => {
  const first = putSection(putSection("", titles, "Sync", "a\n\n### part\n\n| b |"), titles, "Search", "old");
  const second = putSection(first, titles, "Search", "new");
  expect(second).toBe(first.replace("old", "new"));
  expect(putSection(second, titles, "Search", "new")).toBe(second);
});

test("drops the section of a part that no longer exists", () => {
  const page = putSection("# Benchmarks\n\n## Gone\n\ntext\n", titles, "Pages", "here");
  expect(page).not.toContain("Gone");
  expect(page).toContain("## Pages\n\nhere\n");
});
