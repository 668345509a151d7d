// Tests how work that runs in parallel ends.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { allEnded, allOrNone } from "../../../pipeline/base/parallel.ts";

describe("allEnded", () => {
  it("waits for all, also after a failure", async () => {
    let isEnded = false;
    const slow = sleep(20).then(() => {
      isEnded = true;
    });
    await expect(allEnded(Promise.reject(new Error("first")), slow)).rejects.toThrow("first");
    expect(isEnded).toBe(true);
  });

  it("throws the failure that came first", async () => {
    const fail = (milliseconds: number, message: string) =>
      sleep(milliseconds).then(() => Promise.reject(new Error(message)));
    await expect(allEnded(fail(20, "later"), fail(1, "first"))).rejects.toThrow("first");
  });
});

describe("allOrNone", () => {
  it("returns the results in order", async () => {
    const results = await allOrNone(
      () => sleep(2, "slow"),
      async () => "fast",
    );
    expect(results).toEqual(["slow", "fast"]);
  });

  it("stops the other work at the first failure, which it throws", async () => {
    let steps = 0;
    const endless = async (signal: AbortSignal) => {
      for (;;) {
        signal.throwIfAborted();
        await sleep(1);
        steps += 1;
      }
    };
    const failing = async () => {
      await sleep(5);
      throw new Error("the disk is full");
    };
    await expect(allOrNone(endless, failing)).rejects.toThrow("the disk is full");
    const stepsThen = steps;
    await sleep(10);
    expect(steps).toBe(stepsThen);
  });
});
