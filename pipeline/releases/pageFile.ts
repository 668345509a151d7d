// A page file of a release: where it is, and what is wrong with it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { storedEnding } from "../../api-static/contract/pageKeys.ts";
import { formatPageRow, parts } from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";

/** The path of a page's file, relative to the release's folder. */
export function pageFilePath(key: string): string {
  return join(parts.public, key + storedEnding);
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
