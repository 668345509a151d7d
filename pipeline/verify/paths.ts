// Verifies that a page has the same bytes from its file, from a slice of `records` and from a search.
import { gunzipSync } from "node:zlib";
import { formatEin } from "../../api-static/contract/ein.ts";
import { pageSizesOf, parsePageKey, parseTotalsKey } from "../../api-static/contract/pageKeys.ts";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import { type Bytes, toBuffer } from "../../api-static/release/bytes.ts";
import {
  type FunderRow,
  funderRowBytes,
  readFunderRow,
  type SearchPage,
} from "../../api-static/release/layout.ts";
import { DamagedPage } from "../../api-static/release/pageFileFormat.ts";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { answerByFile, answerBySearch, answerBySlice } from "../../api-static/search/answer.ts";
import type { Release } from "../../api-static/search/release.ts";
import { describeError } from "./answers.ts";

/** Number of funders whose pages are compared: evenly spread, including the first and the last. */
const funderSamples = 50;

/** Number of page files of searches that are compared with the search, evenly spread. */
const searchSamples = 20;

/** Number of files of totals that are compared, evenly spread: those of broad searches take a second each. */
const totalsSamples = 5;

/** A page that has a file; a funder's page also has a slice. */
type Sample = {
  readonly name: string;
  readonly request: HistoryRequest;
  readonly total: number;
  readonly funder?: FunderRow;
};

/** Compares the first and the last pages of some funders, and some pages and totals of searches. */
export async function findPathProblems(release: Release): Promise<string[]> {
  const problems: string[] = [];
  for (const page of listTotals(release)) {
    const problem = await findTotalsDifference(release, page).catch(describeError);
    if (problem !== undefined) problems.push(`${page.key}: ${problem}`);
  }
  for (const sample of [...listFunderPages(release), ...listSearchPages(release)]) {
    const problem = await findDifference(release, sample).catch(describeError);
    if (problem !== undefined) problems.push(`${sample.name}: ${problem}`);
  }
  return problems;
}

/** A few items of a list, evenly spread, including the first and the last. */
function* spread<Item>(count: number, itemAt: (index: number) => Item, samples: number): Generator<Item> {
  const step = Math.max(1, (count - 1) / (samples - 1));
  for (let at = 0; at < count; at += step) yield itemAt(Math.round(at));
}

function listFunderPages({ funders }: Release): Sample[] {
  const rows = spread(funders.length / funderRowBytes, (row) => readFunderRow(funders, row), funderSamples);
  return [...rows].flatMap((funder) =>
    pageSizesOf(funder.records).flatMap((limit) => {
      const last = Math.floor((funder.records - 1) / limit) * limit;
      return [...new Set([0, last])].map((offset) => {
        const funderEin = formatEin(funder.ein);
        const request: HistoryRequest = {
          ...({ kind: "history", scope: "funder", filters: { funderEin } } as const),
          ...{ limit, offset },
        };
        const name = `funder ${funderEin}, limit ${limit}, offset ${offset}`;
        return { name, request, total: funder.records, funder };
      });
    }),
  );
}

function listSearchPages({ searches }: Release): Sample[] {
  const pages = [...searches.values()].flatMap(({ key, total }) => {
    const request = parsePageKey(key);
    return request === undefined ? [] : [{ name: key, request, total }];
  });
  return [...spread(pages.length, (index) => pages[index] as Sample, searchSamples)];
}

function listTotals({ searches }: Release): SearchPage[] {
  const files = [...searches.values()].filter(({ key }) => parseTotalsKey(key) !== undefined);
  return [...spread(files.length, (index) => files[index] as SearchPage, totalsSamples)];
}

async function findTotalsDifference(
  release: Release,
  { key, total }: SearchPage,
): Promise<string | undefined> {
  const { all, body } = await release.search.findTotals(parseTotalsKey(key)?.filters ?? {});
  const isSame = await isStored(async () => (await release.pageFiles.read(key))?.stored, body);
  return isSame && all.records === total ? undefined : "file and totals differ";
}

async function findDifference(
  release: Release,
  { request, total, funder }: Sample,
): Promise<string | undefined> {
  const { body, page } = await answerBySearch(release, request);
  const search = toBuffer(body);
  if (funder === undefined)
    return page.total === total && (await hasFile(release, request, funder, search))
      ? undefined
      : "file and search differ";
  const slice = toBuffer((await answerBySlice(release, request, funder)).body);
  if (!(await hasFile(release, request, funder, slice))) return "file and slice differ";
  return slice.equals(search) ? undefined : "search and slice differ";
}

/** True if a request has a page file that can be decompressed, to these bytes. */
async function hasFile(
  release: Release,
  request: HistoryRequest,
  funder: FunderRow | undefined,
  body: Buffer,
): Promise<boolean> {
  return isStored(async () => (await answerByFile(release, request, funder))?.body, body);
}

/** True if a file can be read and decompressed, to these bytes. */
async function isStored(read: () => Promise<Bytes | undefined>, body: Buffer): Promise<boolean> {
  try {
    const stored = await read();
    return stored !== undefined && gunzipSync(toBuffer(stored)).equals(body);
  } catch (error) {
    if (error instanceof DamagedPage || systemCode(error)?.startsWith("Z_")) return false;
    throw error;
  }
}
