// Makes tables of releases in memory, without a sync.
import fc from "fast-check";
import { digestBytes } from "../../../api-static/contract/answers/storedPage.ts";
import { countBlocks, groupsOfBlock, pagesOfGroup } from "../../../api-static/release/funderPages.ts";
import { funderRowBytes, pageRowBytes, writeFunderRow } from "../../../api-static/release/layout.ts";
import type { ReleaseTables } from "../../../pipeline/releases/tables.ts";

/** A funder: the content of its lines, as a number, and how many there are. */
export type TestFunder = { readonly ein: number; readonly records: number; readonly lines: number };

const funder: fc.Arbitrary<TestFunder> = fc.record({
  ein: fc.integer({ min: 1, max: 15 }),
  records: fc.oneof(
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom(99, 100, 101, 999, 1000, 1001, 2100, 51_000),
  ),
  lines: fc.integer({ min: 0, max: 2 }),
});

/** Lists of funders by EIN. */
export const funders = fc
  .uniqueArray(funder, { selector: ({ ein }) => ein, maxLength: 15 })
  .map((list) => list.sort((a, b) => a.ein - b.ein));

/** Contents of files other than funders' pages, by key. */
export const files: fc.Arbitrary<Readonly<Record<string, string>>> = fc
  .uniqueArray(
    fc.constantFrom(
      ...["v1/history/all/100-0.json", "v1/history/purpose=%C3%A9/100-0.json"],
      ...["v1/names/eins/100.json", "v1/names/eins/1000.json"],
      ...["assets/start-abc.js", "icon.svg", "openapi.json", "funder.html", "index.html"],
    ),
  )
  .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, fc.constantFrom("a", "b")]))));

/** Tables of a release with these funders and files. Each row of `pages` names the page and the content of the funder's lines. */
export function formatTables(
  list: readonly TestFunder[],
  contents: Readonly<Record<string, string>> = {},
  organizations = "none",
  places = "none none",
): ReleaseTables {
  const table = Buffer.alloc(list.length * funderRowBytes);
  const digests = Buffer.alloc(list.length * digestBytes);
  let first = 0;
  for (const [index, { ein, records, lines }] of list.entries()) {
    writeFunderRow(table, index, { ein, first, records });
    // Different lines, or a different number of them, have a different digest.
    digests.writeUInt32LE(lines * 100_000 + records, index * digestBytes + digestBytes - 4);
    first += records;
  }
  return {
    folder: "release",
    funders: table,
    funderDigests: digests,
    pages: Buffer.concat([...listPages(list, table).values()]),
    files: new Map(Object.entries(contents).map(([key, text]) => [key, Buffer.from(text)])),
    organizations,
    places,
    matches: "none",
  };
}

/** The rows of funders' pages by key, in the order in which pages are cut. */
function listPages(list: readonly TestFunder[], table: Buffer): Map<string, Buffer> {
  const linesOf = new Map(list.map(({ ein, lines }) => [ein, lines]));
  const rows = new Map<string, Buffer>();
  for (let block = 0; block < countBlocks(table); block += 1) {
    for (const group of groupsOfBlock(table, block)) {
      for (const { key } of pagesOfGroup(group))
        rows.set(key, formatRow(key, group.total, linesOf.get(group.ein) ?? -1));
    }
  }
  return rows;
}

/** The row of a page in `pages`: a page of other lines, or of another total, has another one. */
export function formatRow(key: string, total: number, lines: number): Buffer {
  const [, ein, size, offset] = /funders\/(\d+)\/history-(\d+)-(\d+)/.exec(key) ?? [];
  const row = Buffer.alloc(pageRowBytes);
  for (const [index, value] of [ein, size, offset, total, lines].entries())
    row.writeUInt32LE(Number(value), index * 4);
  return row;
}

/** The rows of all public files of a release with these funders, by key, as text. */
export function listPublic(list: readonly TestFunder[], tables: ReleaseTables): Map<string, string> {
  const all = [...listPages(list, tables.funders), ...tables.files];
  return new Map(all.map(([key, row]) => [key, Buffer.from(row).toString("hex")]));
}
