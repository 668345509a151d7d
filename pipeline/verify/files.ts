// Verifies the files of a release: each part and each page file has its digest, and there is no other file.
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { changesFolder } from "../../api-static/contract/changes.ts";
import { downloadsFolder } from "../../api-static/contract/downloads.ts";
import { shareBytes } from "../../api-static/release/bytes.ts";
import { countBlocks, groupsOfBlock, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { pageRowBytes, pagesFolder, parts, readListedKeys } from "../../api-static/release/layout.ts";
import { digestIfPresent } from "../base/digests.ts";
import { listTree } from "../base/files.ts";
import { allEnded } from "../base/parallel.ts";
import { type Blocks, runInThreads, shareBlocks, takeBlocks } from "../base/threads.ts";
import { listParts, type Manifest } from "../releases/manifest.ts";
import { countPageThreads, findPageProblem, pageFilePath } from "../releases/pageFile.ts";
import { pageTables } from "../releases/tables.ts";

/** Page files that a thread takes at once. */
const pagesOfBlock = 200;

/** The page files, whose rows in `pages` are in the order of `listKeys`. */
type Pages = {
  readonly folder: string;
  readonly funders: Uint8Array;
  /** Keys of the pages of searches and of files of names. */
  readonly listed: readonly string[];
  readonly rows: Uint8Array;
};

type VerifiedBlock = { readonly pages: number; readonly problems: readonly string[] };

/**
 * Finds files that are missing, differ from their digest, or should not be there.
 * @param onProgress receives the number of pages done
 */
export async function findFileProblems(
  folder: string,
  manifest: Manifest,
  threads: number,
  onProgress: (pages: number) => void,
): Promise<string[]> {
  const sealed = Object.keys(manifest.parts);
  // A damaged table could list billions of pages, so pages are only checked if the tables are intact.
  if ((await findDamages(folder, manifest, pageTables)).length > 0)
    return [...(await findDamages(folder, manifest, sealed)), ...(await findUnexpected(folder, sealed))];
  const pages = await readPages(folder);
  const keys = [...listKeys(pages)];
  const found = pages.rows.length / pageRowBytes;
  if (found !== keys.length) return [`${parts.pages} lists ${found} files, expected ${keys.length}`];
  const problems = await allEnded(
    findDamages(folder, manifest, sealed),
    findDamagedPages(pages, countPageThreads(found, threads), onProgress),
    findUnexpected(folder, [...sealed, ...keys.map(pageFilePath)], true),
  );
  return problems.flat();
}

async function findDamages(folder: string, manifest: Manifest, paths: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const path of paths) {
    const sealed = manifest.parts[path];
    const found = await digestIfPresent(join(folder, path));
    if (sealed === undefined || found === undefined) problems.push(`${path} is missing`);
    else if (found.bytes !== sealed.bytes)
      problems.push(`${path} has ${found.bytes} bytes, expected ${sealed.bytes}`);
    else if (found.sha256 !== sealed.sha256) problems.push(`${path} has unexpected content`);
  }
  return problems;
}

export async function readPages(folder: string): Promise<Pages> {
  const read = (part: string) => readFile(join(folder, part));
  return {
    folder,
    funders: shareBytes(await read(parts.funders)),
    listed: readListedKeys(await read(parts.searches), await read(parts.names)),
    rows: shareBytes(await read(parts.pages)),
  };
}

/** The keys of all page files. */
export function* listKeys({ funders, listed }: Pages): Generator<string> {
  const table = Buffer.from(funders.buffer, funders.byteOffset, funders.byteLength);
  for (let block = 0; block < countBlocks(table); block++)
    for (const group of groupsOfBlock(table, block)) for (const { key } of pagesOfGroup(group)) yield key;
  yield* listed;
}

async function findDamagedPages(
  pages: Pages,
  threads: number,
  onProgress: (pages: number) => void,
): Promise<string[]> {
  const problems: string[] = [];
  const blocks = shareBlocks(Math.ceil(pages.rows.length / pageRowBytes / pagesOfBlock));
  let count = 0;
  const onBlock = (done: VerifiedBlock) => {
    problems.push(...done.problems);
    count += done.pages;
    onProgress(count);
  };
  await runInThreads(new URL(import.meta.url), { ...pages, blocks }, threads, onBlock);
  return problems;
}

/** Verifies page files that no other thread has taken; `runInThreads` calls it. */
export function* work({ blocks, ...pages }: Pages & { readonly blocks: Blocks }): Generator<VerifiedBlock> {
  const { folder, rows } = pages;
  const keys = listKeys(pages);
  let page = 0;
  for (const block of takeBlocks(blocks)) {
    const problems: string[] = [];
    const first = block * pagesOfBlock;
    const stop = Math.min(first + pagesOfBlock, rows.length / pageRowBytes);
    for (; page < stop; page++) {
      const key = keys.next().value as string;
      if (page < first) continue; // another thread's
      const row = rows.subarray(page * pageRowBytes, (page + 1) * pageRowBytes);
      const problem = findPageProblem(folder, key, row);
      if (problem !== undefined) problems.push(problem);
    }
    yield { pages: stop - first, problems };
  }
}

/** Names the files, and the topmost folders, that have none of the expected paths. @param hasPages if page files are expected */
async function findUnexpected(
  folder: string,
  expected: readonly string[],
  hasPages = false,
): Promise<string[]> {
  const files = new Set(expected);
  const known = new Set<string>();
  for (const path of expected)
    for (let above = path; above !== "." && !known.has(above); above = dirname(above)) known.add(above);
  const top = join(parts.public, pagesFolder);
  const others = [changesFolder, downloadsFolder].map((name) => basename(name)); // linked, and among the parts
  const pages = hasPages ? await listTree(join(folder, top), others) : [];
  const found = [...(await listParts(folder)), ...pages.map((path) => join(top, path))];
  const topmost = found
    .filter((path) => !files.has(path))
    .map((path) => {
      let top = path;
      for (let above = dirname(path); above !== "." && !known.has(above); above = dirname(above)) top = above;
      return top;
    });
  return [...new Set(topmost)].map((path) => `${path} is not part of the release`);
}
