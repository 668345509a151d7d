// Tests that threads work on all blocks of each order, and that a failure ends every order.
import { afterEach, describe, expect, it } from "vitest";
import { BlockThreads, newBlockOrder } from "../../pipeline/blocks.ts";
import type { NamedBlock, NameOrder } from "./blocks.fixture.ts";

const module = new URL("./blocks.fixture.ts", import.meta.url);

describe("threads", () => {
  let threads: BlockThreads<NameOrder, NamedBlock>;
  afterEach(() => threads.close());

  it("work on one order after the other, each block once, without starting again", async () => {
    threads = new BlockThreads(module, 2);
    const found: NamedBlock[] = [];
    const run = (name: string, blocks: number) =>
      threads.run({ ...newBlockOrder(blocks), name }, (block) => found.push(block));
    const orders = [run("a", 3), run("b", 20), run("c", 1)];
    await orders[0];
    expect(found.filter(({ name }) => name.startsWith("a")).length).toBe(3);
    await Promise.all([...orders, run("none", 0)]);
    const names = ["a", "b", "c"].flatMap((name, at) =>
      Array.from({ length: [3, 20, 1][at] ?? 0 }, (_, block) => `${name}-${block}`),
    );
    expect(found.map(({ name }) => name).sort()).toEqual(names.sort());
    const ids = new Set(found.map(({ threadId }) => threadId));
    expect(ids.size).toBeLessThanOrEqual(2);
    expect(ids.has(0)).toBe(false);
  });

  it("end the orders that wait with the first error, and take no more", async () => {
    threads = new BlockThreads(module, 2);
    const orders = [
      threads.run({ ...newBlockOrder(5), name: "bad", isDamaged: true }, () => {}),
      threads.run({ ...newBlockOrder(5), name: "good" }, () => {}),
    ];
    const results = await Promise.allSettled(orders);
    for (const result of results)
      expect(result).toMatchObject({ status: "rejected", reason: { message: "bad is damaged" } });
    const late = threads.run({ ...newBlockOrder(5), name: "late" }, () => {});
    await expect(late).rejects.toThrow("bad is damaged");
  });
});
