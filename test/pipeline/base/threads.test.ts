// Tests that threads share the blocks of a work, and that a failure ends it.
import { describe, expect, it } from "vitest";
import { endBlocks, runInThreads, shareBlocks, takeBlocks } from "../../../pipeline/base/threads.ts";
import type { NamedBlock, NamesInput } from "./threads.fixture.ts";

const module = new URL("./threads.fixture.ts", import.meta.url);

describe("runInThreads", () => {
  it.each([0, 1, 2, 3])("works on each block once in %d threads", async (threads) => {
    const found: NamedBlock[] = [];
    const input: NamesInput = { name: "a", blocks: shareBlocks(20) };
    await runInThreads(module, input, threads, (block: NamedBlock) => found.push(block));
    const names = Array.from({ length: 20 }, (_, block) => `a-${block}`);
    expect(found.map(({ name }) => name).sort()).toEqual(names.sort());
    const ids = new Set(found.map(({ threadId }) => threadId));
    expect(ids.size).toBeLessThanOrEqual(Math.max(1, threads));
    expect(ids.has(0)).toBe(threads === 0);
  });

  it("does nothing without blocks", async () => {
    const found: NamedBlock[] = [];
    const input: NamesInput = { name: "a", blocks: shareBlocks(0) };
    await runInThreads(module, input, 2, (block: NamedBlock) => found.push(block));
    expect(found).toEqual([]);
  });

  it.each([0, 1, 2])("throws the error of the work in %d threads", async (threads) => {
    const input: NamesInput = { name: "a", blocks: shareBlocks(5), damaged: 3 };
    await expect(runInThreads(module, input, threads, () => {})).rejects.toThrow("a-3 is damaged");
  });

  it("throws if a thread exits before its work is done, even without an error", async () => {
    const input: NamesInput = { name: "a", blocks: shareBlocks(5), last: 3 };
    await expect(runInThreads(module, input, 2, () => {})).rejects.toThrow(
      "a worker thread ended with 0 before its work was done",
    );
  });

  it("stops the other threads after an error", async () => {
    const blocks = shareBlocks(2 ** 30); // far more than are done before the error arrives
    const input: NamesInput = { name: "a", blocks, damaged: 1 };
    await expect(runInThreads(module, input, 2, () => {})).rejects.toThrow("a-1 is damaged");
    const [next = 0] = takeBlocks(blocks);
    expect(next).toBeGreaterThan(1);
    expect(next).toBeLessThan(blocks.count);
  });

  it.each([0, 1, 2])(
    "throws the error of the function that receives results, in %d threads",
    async (threads) => {
      const input: NamesInput = { name: "a", blocks: shareBlocks(5) };
      const refuse = ({ name }: NamedBlock) => {
        throw new Error(`${name} is not wanted`);
      };
      await expect(runInThreads(module, input, threads, refuse)).rejects.toThrow(/^a-\d is not wanted$/);
    },
  );

  it("takes no more blocks once they are ended", async () => {
    const blocks = shareBlocks(2 ** 30);
    let count = 0;
    await runInThreads(module, { name: "a", blocks }, 0, () => {
      count += 1;
      if (count === 3) endBlocks(blocks);
    });
    expect(count).toBe(3);
  });
});
