// Finds the public files of a release, and what is wrong with a page file.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDownloadKey } from "../../api-static/contract/answers/downloads.ts";
import { storedEnding } from "../../api-static/contract/operations/searches.ts";
import { formatPageRow, pageRowBytes, pagesFolder, parts } from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";

/** Page files that take about as long as the start of a thread. */
const fewPages = 300;

/** The number of threads for some page files: 0 if starting one costs more than it saves. */
export function countPageThreads(pages: number, threads: number): number {
  return pages <= fewPages ? 0 : threads;
}

/** The path of a page's file, relative to the release's folder. */
export function pageFilePath(key: string): string {
  return join(parts.public, key + storedEnding);
}

/** The path of any public file, relative to the release's folder. Its key is its URL path on a static host. */
export function publicFilePath(key: string): string {
  return isPageKey(key) ? pageFilePath(key) : join(parts.public, key);
}

/** True for page files and files of names, false for files of the site and downloads. */
export function isPageKey(key: string): boolean {
  return key.startsWith(`${pagesFolder}/`) && parseDownloadKey(key) === undefined;
}

/** True if a public file has the content of its row: as in `pages`, or a SHA-256. */
export function isContent(row: Uint8Array, body: Buffer): boolean {
  return (row.length === pageRowBytes ? formatPageRow(body) : hash("sha256", body, "buffer")).equals(row);
}

/**
 * Reads a page's file, and returns what is wrong with it, if anything.
 * @param folder of the release
 * @param row of the page in `pages`
 */
export function findPageProblem(folder: string, key: string, row: Uint8Array): string | undefined {
  const path = pageFilePath(key);
  try {
    const isRight = formatPageRow(readFileSync(join(folder, path))).equals(row);
    return isRight ? undefined : `${path} has unexpected content`;
  } catch (error) {
    if (isAbsence(error)) return `${path} is missing`;
    throw error;
  }
}
