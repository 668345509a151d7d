// Proves that the page of figures keeps every section that was not measured again.
import { expect, test } from "vitest";
import { putSection } from "./page.ts";

const titles = ["Sync", "Search", "Pages"];

test("sections stand in the order of the parts, whatever is measured first", () => {
  const search = putSection("", titles, "Search", "fast\n");
  const both = putSection(search, titles, "Sync", "\nslow");
  expect(both).toContain("\n## Sync\n\nslow\n\n## Search\n\nfast\n");
  expect(both.startsWith("# Benchmarks\n")).toBe(true);
});

test("a section measured again is replaced, the others stay to the letter", () => {
  const first = putSection(putSection("", titles, "Sync", "a\n\n### part\n\n| b |"), titles, "Search", "old");
  const second = putSection(first, titles, "Search", "new");
  expect(second).toBe(first.replace("old", "new"));
  expect(putSection(second, titles, "Search", "new")).toBe(second);
});

test("a section of a part that is no more is dropped", () => {
  const page = putSection("# Benchmarks\n\n## Gone\n\ntext\n", titles, "Pages", "here");
  expect(page).not.toContain("Gone");
  expect(page).toContain("## Pages\n\nhere\n");
});
