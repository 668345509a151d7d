// Reads blocks of a source into files of JSON lines, in a worker thread or in this one.
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import type { BlockOrder } from "../base/blocks.ts";
import { type BlockResult, readBlock } from "./blockReader.ts";
import { LineFile } from "./lineFile.ts";
import { openSource } from "./members.ts";
import type { Lines } from "./rows.ts";
import type { Source } from "./sources.ts";

/** Which source to read, and the folder for its lines. */
export type ReadOrder = BlockOrder & { readonly source: Source; readonly folder: string };

/**
 * Reads the blocks, and writes their lines into `folder`: `returns-1.ndjson` and `grants-1.ndjson` in thread 1. Two files per thread
 * and not per block, because DuckDB takes about 20 ms for each file, whatever its size.
 */
export function* work({ source, folder }: ReadOrder, blocks: Iterable<number>): Generator<BlockResult> {
  const opened = openSource(source);
  const lines: Lines = {
    returns: new LineFile(join(folder, `returns-${threadId}.ndjson`)),
    grants: new LineFile(join(folder, `grants-${threadId}.ndjson`)),
  };
  try {
    for (const block of blocks) yield readBlock(opened, block, lines);
  } finally {
    opened.close();
    lines.returns.close();
    lines.grants.close();
  }
}
