// Works on blocks in the tests of threads: yields a name for each block, or fails.
import { threadId } from "node:worker_threads";
import type { BlockOrder } from "../../../pipeline/base/blocks.ts";

export type NameOrder = BlockOrder & { readonly name: string; readonly isDamaged?: boolean };
export type NamedBlock = { readonly name: string; readonly threadId: number };

export function* work(
  { name, isDamaged = false }: NameOrder,
  blocks: Iterable<number>,
): Generator<NamedBlock> {
  if (isDamaged) throw new Error(`${name} is damaged`);
  for (const block of blocks) yield { name: `${name}-${block}`, threadId };
}
