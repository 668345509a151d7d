// Owns the verification of page files: each is there as it was sealed, and no file besides.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEin } from "../api-static/ein.ts";
import { findFunderRow, pagesFolder, parts } from "../api-static/layout.ts";
import { type BlockOrder, newBlockOrder, runBlocks } from "./blocks.ts";
import { listIfPresent } from "./manifest.ts";
import { countBlocks, pagesOfRun, runsOfBlock } from "./pages.ts";

/** What a worker is told. */
export type VerifyOrder = BlockOrder & {
  readonly folder: string;
  readonly funders: Uint8Array;
  /** The rows of `pages`. */
  readonly rows: Uint8Array;
  /** For each block, the index of its first page in `rows`. */
  readonly starts: readonly number[];
};

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
  const blocks = newBlockOrder(countBlocks(funders));
  const order: VerifyOrder = { ...blocks, folder, funders, rows, starts: findStarts(funders, blocks.blocks) };
  const problems = await findStrangers(folder, funders);
  let pages = 0;
  await runBlocks<VerifiedBlock>(new URL("./verify.worker.ts", import.meta.url), order, workers, (done) => {
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
    for (const run of runsOfBlock(funders, block)) pages += pagesOfRun(run).length;
  }
  return starts;
}

/** Entries above the funders' own folders that no release has. */
async function findStrangers(folder: string, funders: Buffer): Promise<string[]> {
  const top = join(parts.public, pagesFolder);
  const strangers = (await listIfPresent(join(folder, top)))
    .filter((name) => name !== "funders")
    .map((name) => join(top, name));
  const below = join(top, "funders");
  for (const name of await listIfPresent(join(folder, below))) {
    const isFunder = name === parseEin(name) && findFunderRow(funders, Number(name)) !== undefined;
    if (!isFunder) strangers.push(join(below, name));
  }
  return strangers.map((path) => `${path} is no part of the release`);
}
