// Verifies blocks of page files: those of funders, then the listed ones.
import { dirname, join } from "node:path";
import { groupsOfBlock, type PageGroup, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { pageRowBytes } from "../../api-static/release/layout.ts";
import { listIfPresentSync } from "../base/files.ts";
import { takeBlocks } from "../base/threads.ts";
import { findPageProblem, pageFilePath } from "../releases/pageFile.ts";
import { keysOfBlock, type VerifiedBlock, type VerifyInput } from "./pages.ts";

/** Verifies the page files of the blocks that no other thread has taken; `runInThreads` calls it. */
export function* work(input: VerifyInput): Generator<VerifiedBlock> {
  const verifier = new BlockVerifier(input);
  for (const block of takeBlocks(input.blocks)) yield verifier.verify(block);
}

class BlockVerifier {
  readonly #input: VerifyInput;
  readonly #funders: Buffer;
  readonly #rows: Buffer;

  constructor(input: VerifyInput) {
    const { funders, rows } = input;
    this.#input = input;
    this.#funders = Buffer.from(funders.buffer, funders.byteOffset, funders.byteLength);
    this.#rows = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
  }

  verify(block: number): VerifiedBlock {
    const listedBlock = block - (this.#input.starts.length - 1);
    return listedBlock < 0 ? this.#verifyFunders(block) : this.#verifyListed(listedBlock);
  }

  #verifyFunders(block: number): VerifiedBlock {
    const problems: string[] = [];
    const first = this.#input.starts[block] ?? 0;
    let page = first;
    for (const group of groupsOfBlock(this.#funders, block)) {
      const pages = pagesOfGroup(group);
      if (group.offset === 0) problems.push(...this.#findUnexpectedFiles(group));
      for (const [index, { key }] of pages.entries()) problems.push(...this.#verifyPage(key, page + index));
      page += pages.length;
    }
    return { pages: page - first, problems };
  }

  #verifyListed(block: number): VerifiedBlock {
    const { starts, keys: listed } = this.#input;
    const first = (starts.at(-1) ?? 0) + block * keysOfBlock;
    const keys = listed.slice(block * keysOfBlock, (block + 1) * keysOfBlock);
    const problems = keys.flatMap((key, index) => this.#verifyPage(key, first + index));
    return { pages: keys.length, problems };
  }

  /** Problems of one page file. `page` is the index of its row. */
  #verifyPage(key: string, page: number): string[] {
    const row = this.#rows.subarray(page * pageRowBytes, (page + 1) * pageRowBytes);
    const problem = findPageProblem(this.#input.folder, key, row);
    return problem === undefined ? [] : [problem];
  }

  /** Names in a funder's folder that are not page files of the funder. */
  #findUnexpectedFiles({ ein, total }: PageGroup): string[] {
    const pages = pagesOfGroup({ ein, total, offset: 0, records: total });
    const paths = new Set(pages.map(({ key }) => pageFilePath(key)));
    const folder = dirname(pageFilePath(pages[0]?.key ?? ""));
    return listIfPresentSync(join(this.#input.folder, folder))
      .map((name) => join(folder, name))
      .filter((path) => !paths.has(path))
      .map((path) => `${path} is not part of the release`);
  }
}
