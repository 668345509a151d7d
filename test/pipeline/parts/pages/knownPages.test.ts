// Tests which pages of an earlier release a new one links.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countBlocks, groupsOfBlock, pagesOfGroup } from "../../../../api-static/release/funderPages.ts";
import { findKnownRows, planKnownPages } from "../../../../pipeline/parts/pages/knownPages.ts";
import { formatRow, formatTables, funders } from "../../releases/tables.fixture.ts";

describe("pages of an earlier release", () => {
  it("are known if the funder is the same, each with its own rows", () => {
    fc.assert(
      fc.property(funders, funders, (before, after) => {
        const next = formatTables(after);
        const known = planKnownPages(formatTables(before), next, "20261120T040000Z");
        expect(known.folder).toBe("release");
        const blocks = Array.from({ length: countBlocks(next.funders) }, (_, block) => block);
        for (const group of blocks.flatMap((block) => [...groupsOfBlock(next.funders, block)])) {
          const mine = after[group.funder];
          const theirs = before.find(({ ein }) => ein === group.ein);
          const found = findKnownRows(known, group);
          if (theirs?.records !== mine?.records || theirs?.lines !== mine?.lines) {
            expect(found).toBeUndefined();
            continue;
          }
          const rows = pagesOfGroup(group).map(({ key }) => formatRow(key, group.total, mine?.lines ?? -1));
          expect(Buffer.from(found ?? []).equals(Buffer.concat(rows))).toBe(true);
        }
      }),
    );
  });
});
