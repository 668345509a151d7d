// Verifies the page files: each has its digest, and there is no other file.
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

/** The input of a worker. */
export type VerifyOrder = BlockOrder & {
  readonly folder: string;
  readonly funders: Uint8Array;
  /** The rows of `pages`. */
  readonly rows: Uint8Array;
  /** For each block of funders, the index of its first page in `rows`. The last entry is the first page of a search. */
  readonly starts: readonly number[];
  /** Keys of the pages of searches. The blocks after those of funders have `keysOfBlock` of them each. */
  readonly searches: readonly string[];
};

/** Pages of searches in one block. */
export const keysOfBlock = 200;

/** The result of one block. */
export type VerifiedBlock = { readonly pages: number; readonly problems: readonly string[] };

/**
 * Finds problems of a release's page files. Each problem names the file.
 * @param onProgress receives the number of pages done
 */
export async function findPageProblems(
  folder: string,
  workers: number,
  onProgress: (pages: number) => void,
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
    return [`${parts.pages} lists ${rows.length / pageRowBytes} files, expected ${listed}`];
  const problems = await findUnexpectedFolders(folder, funders, searches.length > 0);
  problems.push(...(await findUnexpectedSearchFiles(folder, searches)));
  let pages = 0;
  await runBlocks<VerifiedBlock>(new URL("./worker.ts", import.meta.url), order, workers, (done) => {
    problems.push(...done.problems);
    pages += done.pages;
    onProgress(pages);
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

/** Files and folders beside the page files of searches that are not part of the release. */
async function findUnexpectedSearchFiles(folder: string, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const below = join(parts.public, pagesFolder, "history");
  const paths = keys.map((key) => join(parts.public, key + storedEnding));
  const known = new Set([...paths, ...paths.map(dirname)]);
  const unexpected: string[] = [];
  for (const name of await listIfPresent(join(folder, below))) {
    const path = join(below, name);
    if (!known.has(path)) unexpected.push(path);
    else for (const file of await listIfPresent(join(folder, path))) unexpected.push(join(path, file));
  }
  return unexpected.filter((path) => !known.has(path)).map((path) => `${path} is not part of the release`);
}

/** Files and folders above the page files that are not part of the release. */
async function findUnexpectedFolders(
  folder: string,
  funders: Buffer,
  hasSearches: boolean,
): Promise<string[]> {
  const top = join(parts.public, pagesFolder);
  const unexpected = (await listIfPresent(join(folder, top)))
    .filter((name) => name !== "funders" && (name !== "history" || !hasSearches))
    .map((name) => join(top, name));
  const below = join(top, "funders");
  for (const name of await listIfPresent(join(folder, below))) {
    const isFunder = name === parseEin(name) && findFunderRow(funders, Number(name)) !== undefined;
    if (!isFunder) unexpected.push(join(below, name));
  }
  return unexpected.map((path) => `${path} is not part of the release`);
}
