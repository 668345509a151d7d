// Owns the verification of page files: each is there as it was sealed, and no file besides.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEin } from "../../api-static/contract/ein.ts";
import { storedEnding } from "../../api-static/contract/pageKeys.ts";
import { countBlocks, groupsOfBlock, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import {
  findFunderRow,
  pageRowBytes,
  pagesFolder,
  parts,
  readSearchPages,
} from "../../api-static/release/layout.ts";
import { type BlockOrder, newBlockOrder, runBlocks } from "../blocks.ts";
import { listIfPresent } from "../files.ts";

/** What a worker is told. */
export type VerifyOrder = BlockOrder & {
  readonly folder: string;
  readonly funders: Uint8Array;
  /** The rows of `pages`. */
  readonly rows: Uint8Array;
  /** For each block of funders, the index of its first page in `rows`; then that of the first page of a search. */
  readonly starts: readonly number[];
  /** Keys of searches' pages, which further blocks hold `keysOfBlock` of each. */
  readonly searches: readonly string[];
};

/** Searches' pages that a worker takes at a time. */
export const keysOfBlock = 200;

/** What a worker says of each block. */
export type VerifiedBlock = { readonly pages: number; readonly problems: readonly string[] };

/**
 * Problems of a release's page files, each naming the file.
 * @param reach told how many pages are done
 */
export async function findPageProblems(
  folder: string,
  workers: number,
  reach: (pages: number) => void,
): Promise<string[]> {
  const funders = await readFile(join(folder, parts.funders));
  const rows = await readFile(join(folder, parts.pages));
  const searches = readSearchPages(await readFile(join(folder, parts.searches), "utf8")).map(
    ({ key }) => key,
  );
  const starts = findStarts(funders, countBlocks(funders));
  const blocks = newBlockOrder(starts.length - 1 + Math.ceil(searches.length / keysOfBlock));
  const order: VerifyOrder = { ...blocks, folder, funders, rows, starts, searches };
  const listed = (starts.at(-1) ?? 0) + searches.length;
  if (rows.length !== listed * pageRowBytes)
    return [`${parts.pages} tells of ${rows.length / pageRowBytes} files, ${listed} were expected`];
  const problems = await findStrangers(folder, funders, searches.length > 0);
  problems.push(...(await findSearchStrangers(folder, searches)));
  let pages = 0;
  await runBlocks<VerifiedBlock>(new URL("./worker.ts", import.meta.url), order, workers, (done) => {
    problems.push(...done.problems);
    pages += done.pages;
    reach(pages);
  });
  return problems;
}

function findStarts(funders: Buffer, blocks: number): number[] {
  const starts: number[] = [];
  let pages = 0;
  for (let block = 0; block < blocks; block++) {
    starts.push(pages);
    for (const group of groupsOfBlock(funders, block)) pages += pagesOfGroup(group).length;
  }
  starts.push(pages);
  return starts;
}

/** Entries beside the searches' page files that no release has. */
async function findSearchStrangers(folder: string, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const below = join(parts.public, pagesFolder, "history");
  const paths = keys.map((key) => join(parts.public, key + storedEnding));
  const known = new Set([...paths, ...paths.map(dirname)]);
  const strangers: string[] = [];
  for (const name of await listIfPresent(join(folder, below))) {
    const path = join(below, name);
    if (!known.has(path)) strangers.push(path);
    else for (const file of await listIfPresent(join(folder, path))) strangers.push(join(path, file));
  }
  return strangers.filter((path) => !known.has(path)).map((path) => `${path} is no part of the release`);
}

/** Entries above the folders of funders and searches that no release has. */
async function findStrangers(folder: string, funders: Buffer, hasSearches: boolean): Promise<string[]> {
  const top = join(parts.public, pagesFolder);
  const strangers = (await listIfPresent(join(folder, top)))
    .filter((name) => name !== "funders" && (name !== "history" || !hasSearches))
    .map((name) => join(top, name));
  const below = join(top, "funders");
  for (const name of await listIfPresent(join(folder, below))) {
    const isFunder = name === parseEin(name) && findFunderRow(funders, Number(name)) !== undefined;
    if (!isFunder) strangers.push(join(below, name));
  }
  return strangers.map((path) => `${path} is no part of the release`);
}
