// Cuts the page files of searches: the first pages and the totals of each, from the results of the server's own search code.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { lineEnd } from "../../../api-static/contract/answers/envelope.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { pageSizeDefault, pageSizeMax } from "../../../api-static/contract/limits.ts";
import { pageSizesOf } from "../../../api-static/contract/operations/searches.ts";
import { searchPageKey, totalsKey } from "../../../api-static/contract/plainPages.ts";
import type { PlannedPage } from "../../../api-static/release/funderPages.ts";
import { formatPageRow, parts, type SearchPage } from "../../../api-static/release/layout.ts";
import { formatWholeFile } from "../../../api-static/release/pageFileFormat.ts";
import { Records } from "../../../api-static/release/records.ts";
import { Search } from "../../../api-static/search/search.ts";
import { forEachAtOnce } from "../../base/parallel.ts";
import type { SearchSettings } from "../../releases/manifest.ts";
import type { FileRows } from "../../releases/tables.ts";
import { formatPages, type KnownFiles, makePageFolder, placePage } from "./pageFiles.ts";
import type { Searches } from "./searches.ts";

/** The page files of searches in the order of the part `searches`, their rows, and how many of the files are links. */
export type CutSearches = {
  readonly pages: readonly SearchPage[];
  readonly rows: FileRows;
  readonly linked: number;
};

/** Two search in threads while the pages of a third are cut. */
const searchesAtOnce = 3;

type CutPage = SearchPage & { readonly row: Buffer; readonly isLinked: boolean };

/** Makes the page files of searches in a release's folder, whose index and records are complete. */
export async function cutSearches(
  folder: string,
  searches: Searches,
  settings: SearchSettings,
  known: KnownFiles | undefined,
  onProgress: (searches: number) => void,
): Promise<CutSearches> {
  if (searches.size === 0) return { pages: [], rows: new Map(), linked: 0 };
  const funders = await readFile(join(folder, parts.funders));
  const records = Records.open(folder);
  let search: Search | undefined;
  const cut: CutPage[][] = [];
  try {
    const opened = await Search.open(folder, { funders, records });
    search = opened;
    let done = 0;
    const cutting = { folder, settings, known, search: opened };
    const names = [...searches.keys()].sort();
    await forEachAtOnce(names.entries(), searchesAtOnce, async ([index, name]) => {
      cut[index] = await cutSearch(cutting, name, searches.get(name) ?? {});
      onProgress(++done);
    });
  } finally {
    await search?.close(); // first, because it reads the records
    records.close();
  }
  const pages = cut.flat();
  return {
    pages,
    rows: new Map(pages.map(({ key, row }) => [key, row])),
    linked: pages.filter(({ isLinked }) => isLinked).length,
  };
}

/** The pages that get files, of a search with `total` records: the first ones of each page size, smallest size first. */
export function pagesOfSearch(
  name: string,
  total: number,
  { smallPages, largePages }: SearchSettings,
): PlannedPage[] {
  return pageSizesOf(total).flatMap((limit) => {
    const count = Math.min(limit === pageSizeDefault ? smallPages : largePages, Math.ceil(total / limit));
    return Array.from({ length: count }, (_, page) => {
      const from = page * limit;
      return { key: searchPageKey(name, limit, from), limit, from, to: Math.min(from + limit, total) };
    });
  });
}

/** The offset of each line, then of the end of the last one. The JSON text of a record has no line feed. */
function findStarts(lines: Buffer): number[] {
  const starts = [0];
  const newline = lineEnd.charCodeAt(1);
  for (let at = lines.indexOf(newline); at >= 0; at = lines.indexOf(newline, at + 1)) starts.push(at + 1);
  return starts;
}

type Cutting = {
  readonly folder: string;
  readonly settings: SearchSettings;
  readonly known: KnownFiles | undefined;
  readonly search: Search;
};

/** Makes the page files of one search: pages that are cut from one result, so they agree, then the totals. */
async function cutSearch(
  { folder, settings, known, search }: Cutting,
  name: string,
  filters: Filters,
): Promise<CutPage[]> {
  const limit = Math.max(settings.smallPages * pageSizeDefault, settings.largePages * pageSizeMax);
  const { total, lines } = await search.find(filters, limit, 0);
  const pages = pagesOfSearch(name, total, settings);
  if (pages.length === 0) return [];
  makePageFolder(folder, pages[0]?.key ?? "");
  const stored = formatPages({ lines, starts: findStarts(lines), total, offset: 0 }, pages);
  const place = (key: string, bytes: Buffer) => {
    const row = formatPageRow(bytes);
    return { key, total, row, isLinked: placePage(folder, key, bytes, row, known) };
  };
  const cut = stored.map((bytes, index) => place(pages[index]?.key ?? "", bytes));
  const { body } = await search.findTotals(filters);
  return [...cut, place(totalsKey(name), Buffer.concat(formatWholeFile(body).pieces))];
}
