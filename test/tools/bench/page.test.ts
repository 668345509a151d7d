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

test("names the machine of the last measurement once, and any other in its section", () => {
  const origin = (part: string, cores: number) =>
    `\`make bench ONLY=${part}\`, 2026-11-28, on ${cores} cores (A), 24 GiB, DuckDB v1.5.5.\n\nfast`;
  const sync = putSection("", titles, "Sync", origin("sync", 2));
  const both = putSection(sync, titles, "Search", origin("search", 2));
  expect(both.match(/2 cores/g)).toHaveLength(1);
  expect(both).toContain("Unless a section names another machine: 2 cores (A), 24 GiB, DuckDB v1.5.5.\n");
  expect(both).toContain("## Sync\n\n`make bench ONLY=sync`, 2026-11-28.\n\nfast");
  const other = putSection(both, titles, "Search", origin("search", 4));
  expect(other).toContain("machine: 4 cores");
  expect(other).toContain(`## Sync\n\n${origin("sync", 2)}\n`);
  expect(putSection(other, titles, "Search", origin("search", 2))).toBe(both);
});

test("drops the section of a part that no longer exists", () => {
  const page = putSection("# Benchmarks\n\n## Gone\n\ntext\n", titles, "Pages", "here");
  expect(page).not.toContain("Gone");
  expect(page).toContain("## Pages\n\nhere\n");
});
