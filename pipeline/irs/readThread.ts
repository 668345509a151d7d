// Reads blocks of sources into files of JSON lines, in a worker thread or in the main one.
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { takeBlocks } from "../base/threads.ts";
import { type BlockResult, readBlock } from "./blockReader.ts";
import { LineFile } from "./lineFile.ts";
import { openSource } from "./members.ts";
import type { Draft, ReadBlock, ReadInput } from "./parts.ts";

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

  read(block: number): BlockResult {
    const result = readBlock(this.#source, block, { returns: this.#returns, grants: this.#grants });
    this.#returns.flush();
    this.#grants.flush();
    return result;
  }

  close(): void {
    this.#source.close();
    this.#returns.close();
    this.#grants.close();
  }
}
