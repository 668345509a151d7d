// Tests that threads work on all blocks of each order, and that a failure ends every order.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { BlockThreads, newBlockOrder } from "../../../pipeline/base/blocks.ts";
import { digestFiles } from "../../../pipeline/base/digestFiles.ts";
import type { NamedBlock } from "./blocks.fixture.ts";

const module = new URL("./blocks.fixture.ts", import.meta.url);

describe("threads", () => {
  let threads: BlockThreads;
  afterEach(() => threads.close());

  it("work on one order after the other, each block once, without starting again", async () => {
    threads = new BlockThreads(2);
    const found: NamedBlock[] = [];
    const run = (name: string, blocks: number) =>
      threads.run(module, { ...newBlockOrder(blocks), name }, (block: NamedBlock) => found.push(block));
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

  it("work on orders of any module", async () => {
    threads = new BlockThreads(2);
    const found: string[] = [];
    const path = import.meta.filename;
    const [, digests] = await Promise.all([
      threads.run(module, { ...newBlockOrder(3), name: "a" }, ({ name }: NamedBlock) => found.push(name)),
      digestFiles([path, path], threads),
      threads.run(module, { ...newBlockOrder(1), name: "b" }, ({ name }: NamedBlock) => found.push(name)),
    ]);
    expect(found.sort()).toEqual(["a-0", "a-1", "a-2", "b-0"]);
    const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
    expect(digests).toEqual([digest, digest]);
  });

  it("end the orders that wait with the first error, and take no more", async () => {
    threads = new BlockThreads(2);
    const orders = [
      threads.run(module, { ...newBlockOrder(5), name: "bad", isDamaged: true }, () => {}),
      threads.run(module, { ...newBlockOrder(5), name: "good" }, () => {}),
    ];
    const results = await Promise.allSettled(orders);
    for (const result of results)
      expect(result).toMatchObject({ status: "rejected", reason: { message: "bad is damaged" } });
    const late = threads.run(module, { ...newBlockOrder(5), name: "late" }, () => {});
    await expect(late).rejects.toThrow("bad is damaged");
  });
});
