// Verifies the page files: each has its digest, and there is no other file.
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { changesFolder } from "../../api-static/contract/changes.ts";
import { downloadsFolder } from "../../api-static/contract/downloads.ts";
import { parseEin } from "../../api-static/contract/ein.ts";
import { shareBytes } from "../../api-static/release/bytes.ts";
import { countBlocks, groupsOfBlock, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import {
  findFunderRow,
  pageRowBytes,
  pagesFolder,
  parts,
  readNamesKeys,
  readSearchPages,
} from "../../api-static/release/layout.ts";
import { listIfPresent } from "../base/files.ts";
import { type Blocks, runInThreads, shareBlocks } from "../base/threads.ts";
import { countPageThreads, pageFilePath } from "../releases/pageFile.ts";

/** What a thread receives. */
export type VerifyInput = {
  readonly blocks: Blocks;
  readonly folder: string;
  readonly funders: Uint8Array;
  /** The rows of `pages`. */
  readonly rows: Uint8Array;
  /** For each block of funders, the index of its first page in `rows`. The last entry is the index of the first listed file. */
  readonly starts: readonly number[];
  /** Keys of the pages of searches and of files of names. The blocks after those of funders have `keysOfBlock` of them each. */
  readonly keys: readonly string[];
};

/** Listed keys in one block. */
export const keysOfBlock = 200;

/** The result of one block. */
export type VerifiedBlock = { readonly pages: number; readonly problems: readonly string[] };

/**
 * Finds problems of a release's page files. Each problem names the file.
 * @param onProgress receives the number of pages done
 */
export async function findPageProblems(
  folder: string,
  threads: number,
  onProgress: (pages: number) => void,
): Promise<string[]> {
  const funders = shareBytes(await readFile(join(folder, parts.funders)));
  const rows = shareBytes(await readFile(join(folder, parts.pages)));
  const searches = readSearchPages(await readFile(join(folder, parts.searches), "utf8")).map(
    ({ key }) => key,
  );
  const names = readNamesKeys(await readFile(join(folder, parts.names), "utf8"));
  const keys = [...searches, ...names];
  const starts = findPageStarts(funders, countBlocks(funders));
  const blocks = shareBlocks(starts.length - 1 + Math.ceil(keys.length / keysOfBlock));
  const input: VerifyInput = { blocks, folder, funders, rows, starts, keys };
  const listed = (starts.at(-1) ?? 0) + keys.length;
  if (rows.length !== listed * pageRowBytes)
    return [`${parts.pages} lists ${rows.length / pageRowBytes} files, expected ${listed}`];
  const problems = [
    ...(await findUnexpectedFolders(folder, funders, keys)),
    ...(await findUnexpectedListed(folder, "history", searches)),
    ...(await findUnexpectedListed(folder, "names", names)),
  ];
  let pages = 0;
  const module = new URL("./pagesThread.ts", import.meta.url);
  await runInThreads(module, input, countPageThreads(listed, threads), (done: VerifiedBlock) => {
    problems.push(...done.problems);
    pages += done.pages;
    onProgress(pages);
  });
  return problems;
}

/** The number of pages before each block of funders, then of all. */
function findPageStarts(funders: Buffer, blocks: number): number[] {
  const starts: number[] = [];
  let pages = 0;
  for (let block = 0; block < blocks; block++) {
    starts.push(pages);
    for (const group of groupsOfBlock(funders, block)) pages += pagesOfGroup(group).length;
  }
  starts.push(pages);
  return starts;
}

/** Files and folders beside those of the keys, in the folder `name`, that are not part of the release. */
async function findUnexpectedListed(
  folder: string,
  name: string,
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const below = join(parts.public, pagesFolder, name);
  const paths = keys.map(pageFilePath);
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
  keys: readonly string[],
): Promise<string[]> {
  const top = join(parts.public, pagesFolder);
  const others = [changesFolder, downloadsFolder].map((folder) => basename(folder));
  const known = new Set(["funders", ...others, ...keys.map((key) => key.split("/")[1])]);
  const unexpected = (await listIfPresent(join(folder, top)))
    .filter((name) => !known.has(name))
    .map((name) => join(top, name));
  const below = join(top, "funders");
  for (const name of await listIfPresent(join(folder, below))) {
    const isFunder = name === parseEin(name) && findFunderRow(funders, Number(name)) !== undefined;
    if (!isFunder) unexpected.push(join(below, name));
  }
  return unexpected.map((path) => `${path} is not part of the release`);
}
