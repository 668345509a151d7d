// Works in the tests of threads: yields a name for each block that it takes, or fails.
import { threadId } from "node:worker_threads";
import { type Blocks, takeBlocks } from "../../../pipeline/base/threads.ts";

export type NamesInput = {
  readonly name: string;
  readonly blocks: Blocks;
  /** The block at which the work fails. */
  readonly damaged?: number;
  /** The block at which the thread exits, without an error. */
  readonly last?: number;
};
export type NamedBlock = { readonly name: string; readonly threadId: number };

export function* work({ name, blocks, damaged, last }: NamesInput): Generator<NamedBlock> {
  for (const block of takeBlocks(blocks)) {
    if (block === last) process.exit(0);
    if (block === damaged) throw new Error(`${name}-${block} is damaged`);
    yield { name: `${name}-${block}`, threadId };
  }
}
