// Cuts the pages of blocks of funders: links or writes the file of each page.
import {
  groupsOfBlock,
  type PageGroup,
  type PlannedPage,
  pagesOfGroup,
} from "../../../api-static/release/funderPages.ts";
import { formatPageRow, pageRowBytes } from "../../../api-static/release/layout.ts";
import { Records } from "../../../api-static/release/records.ts";
import { takeBlocks } from "../../base/threads.ts";
import type { CutBlock, CutInput } from "./funderPages.ts";
import { findKnownPages, type KnownPages } from "./knownPages.ts";
import { formatPages, linkPage, makePageFolder, writePage } from "./pageFiles.ts";

/** Makes the page files of the blocks that no other thread has taken; `runInThreads` calls it. */
export function* work(input: CutInput): Generator<CutBlock> {
  const cutter = new BlockCutter(input);
  try {
    for (const block of takeBlocks(input.blocks)) yield cutter.cut(block);
  } finally {
    cutter.close();
  }
}

class BlockCutter {
  readonly #folder: string;
  readonly #known: KnownPages | undefined;
  readonly #funders: Buffer;
  readonly #records: Records;

  constructor({ folder, known, funders }: CutInput) {
    this.#folder = folder;
    this.#known = known;
    this.#funders = Buffer.from(funders.buffer, funders.byteOffset, funders.byteLength);
    this.#records = Records.open(folder);
  }

  close(): void {
    this.#records.close();
  }

  cut(block: number): CutBlock {
    const rows: Buffer[] = [];
    const problems: string[] = [];
    let linked = 0;
    let folderOf = -1;
    for (const group of groupsOfBlock(this.#funders, block)) {
      const pages = pagesOfGroup(group);
      if (group.funder !== folderOf) makePageFolder(this.#folder, pages[0]?.key ?? "");
      folderOf = group.funder;
      const knownRows = this.#known === undefined ? undefined : findKnownPages(this.#known, group);
      if (this.#known === undefined || knownRows === undefined) {
        rows.push(...this.#cutGroup(group));
      } else {
        problems.push(...this.#linkPages(this.#known, pages, knownRows));
        rows.push(Buffer.from(knownRows));
        linked += pages.length;
      }
    }
    return { block, rows: Buffer.concat(rows), linked, problems };
  }

  /** Links pages with these rows. Returns what is wrong with them. */
  #linkPages({ folder }: KnownPages, pages: readonly PlannedPage[], rows: Uint8Array): string[] {
    return pages.flatMap(({ key }, index) => {
      const row = rows.subarray(index * pageRowBytes, (index + 1) * pageRowBytes);
      return linkPage(folder, this.#folder, key, row) ?? [];
    });
  }

  /** Writes the pages of a group; returns their rows in `pages`. */
  #cutGroup(group: PageGroup): Buffer[] {
    const pages = pagesOfGroup(group);
    const { lines, starts } = this.#records.readRun(group.first, group.first + group.records);
    const { total, offset } = group;
    return formatPages({ lines, starts, total, offset }, pages).map((stored, index) => {
      writePage(this.#folder, pages[index]?.key ?? "", stored);
      return formatPageRow(stored);
    });
  }
}
