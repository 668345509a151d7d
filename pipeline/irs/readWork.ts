// Reads blocks of a source, in a worker thread or in this one.
import type { BlockOrder } from "../blocks.ts";
import { type BlockResult, readBlock } from "./blockReader.ts";
import { openSource } from "./members.ts";
import type { Source } from "./sources.ts";

/** Which source to read, and the folder for its lines. */
export type ReadOrder = BlockOrder & { readonly source: Source; readonly folder: string };

export function* work({ source, folder }: ReadOrder, blocks: Iterable<number>): Generator<BlockResult> {
  const opened = openSource(source);
  try {
    for (const block of blocks) yield readBlock(opened, block, folder);
  } finally {
    opened.close();
  }
}
