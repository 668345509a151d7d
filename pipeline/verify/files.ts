// Verifies the files of a release: each part and each page file has its digest, and there is no other file.
import { basename, dirname, join } from "node:path";
import { changesFolder } from "../../api-static/contract/answers/changes.ts";
import { downloadsFolder } from "../../api-static/contract/answers/downloads.ts";
import { countBlocks, groupsOfBlock, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { pageRowBytes, pagesFolder, parts } from "../../api-static/release/layout.ts";
import { digestIfPresent } from "../base/digests.ts";
import { listTree } from "../base/files.ts";
import { allEnded } from "../base/parallel.ts";
import { type Blocks, runInThreads, shareBlocks, takeBlocks } from "../base/threads.ts";
import { listParts, type Manifest } from "../releases/manifest.ts";
import { countPageThreads, findPageProblem, isPageKey, pageFilePath } from "../releases/pageFile.ts";
import { findTables, tableParts } from "../releases/tables.ts";

/** Page files that a thread takes at once. */
const pagesOfBlock = 200;

/** The page files: their keys, and their rows in `pages`. */
type Pages = { readonly folder: string; readonly keys: readonly string[]; readonly rows: Uint8Array };

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
  const sealed = [...new Set([...Object.keys(manifest.parts), ...tableParts])];
  const damages = () => findDamages(folder, manifest, sealed);
  const tables = await findTables(folder);
  // A damaged table could list billions of pages, so pages are only checked if the tables are intact.
  if (tables === undefined) return [...(await damages()), ...(await findUnexpected(folder, sealed))];
  const { funders, files, pages: rows } = tables;
  const keys = [...listFunderPages(funders), ...[...files.keys()].filter(isPageKey)];
  const found = rows.length / pageRowBytes;
  if (found !== keys.length) return [`${parts.pages} lists ${found} files, expected ${keys.length}`];
  const pages = { folder, keys, rows };
  const problems = await allEnded(
    damages(),
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

/** The keys of all funders' pages. @param funders the release's table */
export function* listFunderPages(funders: Buffer): Generator<string> {
  for (let block = 0; block < countBlocks(funders); block++)
    for (const group of groupsOfBlock(funders, block)) for (const { key } of pagesOfGroup(group)) yield key;
}

async function findDamagedPages(
  pages: Pages,
  threads: number,
  onProgress: (pages: number) => void,
): Promise<string[]> {
  const problems: string[] = [];
  const blocks = shareBlocks(Math.ceil(pages.keys.length / pagesOfBlock));
  let count = 0;
  await runInThreads(new URL(import.meta.url), { ...pages, blocks }, threads, (done: VerifiedBlock) => {
    problems.push(...done.problems);
    count += done.pages;
    onProgress(count);
  });
  return problems;
}

/** Verifies page files that no other thread has taken; `runInThreads` calls it. */
export function* work({ folder, keys, rows, blocks }: Pages & { readonly blocks: Blocks }) {
  for (const block of takeBlocks(blocks)) {
    const first = block * pagesOfBlock;
    const taken = keys.slice(first, first + pagesOfBlock);
    const problems = taken.flatMap((key, index) => {
      const at = (first + index) * pageRowBytes;
      return findPageProblem(folder, key, rows.subarray(at, at + pageRowBytes)) ?? [];
    });
    yield { pages: taken.length, problems } satisfies VerifiedBlock;
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
