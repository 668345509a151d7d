// Reads blocks of sources into files of JSON lines, in a worker thread or in the main one.
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { type Blocks, takeBlocks } from "../base/threads.ts";
import { LineFile } from "./lineFile.ts";
import { openSource } from "./members.ts";
import { IdRangeError } from "./objectIds.ts";
import { addRows } from "./rows.ts";
import type { Source } from "./sources.ts";
import { MemberError } from "./zipMember.ts";

/** A part that is being made: its source, and the folder for its lines. */
export type Draft = {
  readonly source: Source;
  readonly folder: string;
  /** The number of its blocks, and of all blocks of the drafts before it. */
  readonly blocks: number;
  readonly firstBlock: number;
};

/** Input of a thread: all drafts, and their blocks, numbered from the first draft to the last. */
export type ReadInput = { readonly drafts: readonly Draft[]; readonly blocks: Blocks };

/** Counts of a block, whose lines are in the files of its draft. */
export type ReadBlock = {
  /** Index of the draft. */
  readonly draft: number;
  /** Bytes in the source. */
  readonly bytes: number;
  readonly returns: number;
  /** Bytes of XML. */
  readonly xmlBytes: number;
  /** Why the run must end: grants that cannot have an id. */
  readonly refusal?: string;
};

/** Reads blocks that no other thread has taken; `runInThreads` calls it. */
export function* work({ drafts, blocks }: ReadInput): Generator<ReadBlock> {
  let reader: DraftReader | undefined;
  try {
    for (const block of takeBlocks(blocks)) {
      const index = drafts.findLastIndex(({ firstBlock, blocks }) => blocks > 0 && firstBlock <= block);
      const draft = drafts[index] as Draft;
      if (reader?.draft !== draft) {
        reader?.close();
        reader = new DraftReader(draft);
      }
      yield { ...reader.read(block - draft.firstBlock), draft: index };
    }
  } finally {
    reader?.close();
  }
}

/**
 * Writes lines into a draft: `returns-1.ndjson` and `grants-1.ndjson` in thread 1. Each thread has two files, not each block,
 * because DuckDB takes about 20 ms per file of any size.
 */
class DraftReader {
  readonly draft: Draft;
  readonly #source: ReturnType<typeof openSource>;
  readonly #returns: LineFile;
  readonly #grants: LineFile;

  constructor(draft: Draft) {
    this.draft = draft;
    this.#source = openSource(draft.source);
    this.#returns = new LineFile(join(draft.folder, `returns-${threadId}.ndjson`));
    this.#grants = new LineFile(join(draft.folder, `grants-${threadId}.ndjson`));
  }

  read(block: number): Omit<ReadBlock, "draft"> {
    let [returns, xmlBytes] = [0, 0];
    for (const member of this.#source.read(block)) {
      returns += 1;
      if (!(member.content instanceof MemberError)) xmlBytes += member.content.length;
      try {
        addRows(member, { returns: this.#returns, grants: this.#grants });
      } catch (error) {
        if (!(error instanceof IdRangeError)) throw error;
        return { bytes: 0, returns, xmlBytes, refusal: `"${member.name}": ${error.message}` };
      }
    }
    this.#returns.flush();
    this.#grants.flush();
    return { bytes: this.#source.bytesOf(block), returns, xmlBytes };
  }

  close(): void {
    this.#source.close();
    this.#returns.close();
    this.#grants.close();
  }
}
