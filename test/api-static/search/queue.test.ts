// Owns the tests of the bounds on searches: who runs, who waits, who is refused, who is stopped, and that nothing leaks.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../api-static/contract/errors.ts";
import { ClientGone, SearchQueue } from "../../../api-static/search/queue.ts";

/** A search that ends when it is told to, or when it is given up and told to end all the same. */
function heldSearch() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let given: AbortSignal | undefined;
  const search = async (signal: AbortSignal) => {
    given = signal;
    await promise;
    signal.throwIfAborted();
    return "found";
  };
  return { search, end: resolve, signal: () => given };
}

const bounds = { running: 1, waiting: 1, seconds: 60 };

/** The code of the refusal that a promise rejects with, or what else became of it. */
async function outcome(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    return error instanceof Refusal ? error.error : error;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a search", () => {
  it("runs at once while there is room, then waits, and is refused at once beyond", async () => {
    const queue = new SearchQueue(bounds);
    const [first, second] = [heldSearch(), heldSearch()];
    const running = queue.run(first.search);
    const waiting = queue.run(second.search);
    expect([queue.running, queue.waiting]).toStrictEqual([1, 1]);
    expect(second.signal()).toBeUndefined();
    expect(await outcome(queue.run(async () => "never"))).toMatchObject({
      code: "overloaded",
      retryAfter: 60,
    });
    first.end();
    second.end();
    expect([await running, await waiting]).toStrictEqual(["found", "found"]);
    await turn();
    expect([queue.running, queue.waiting, queue.ended]).toStrictEqual([
      0,
      0,
      { shed: 1, timedOut: 0, abandoned: 0 },
    ]);
    expect(await queue.run(async () => "again")).toBe("again");
  });

  it("that waits is stopped at its time limit, as is one that runs, whose place stays taken until it ended", async () => {
    const queue = new SearchQueue({ ...bounds, seconds: 0.05 });
    const first = heldSearch();
    const running = outcome(queue.run(first.search));
    const waiting = outcome(queue.run(async () => "never"));
    for (const stopped of await Promise.all([running, waiting]))
      expect(stopped).toMatchObject({ code: "timeout" });
    expect(first.signal()?.aborted).toBe(true);
    expect([queue.running, queue.waiting]).toStrictEqual([1, 0]);
    expect(queue.ended).toStrictEqual({ shed: 0, timedOut: 2, abandoned: 0 });
    first.end();
    await turn();
    expect(queue.running).toBe(0);
  });

  it("is given up when its client goes away, before it is asked, while it waits or while it runs", async () => {
    const queue = new SearchQueue(bounds);
    const clients = [new AbortController(), new AbortController()];
    const first = heldSearch();
    const asked = clients.map((client) => outcome(queue.run(first.search, client.signal)));
    for (const client of clients.reverse()) client.abort("gone");
    for (const end of await Promise.all(asked)) expect(end).toBeInstanceOf(ClientGone);
    expect(first.signal()?.aborted).toBe(true);
    expect(await outcome(queue.run(first.search, clients[0]?.signal))).toBeInstanceOf(ClientGone);
    first.end();
    await turn();
    expect([queue.running, queue.waiting, queue.ended.abandoned]).toStrictEqual([0, 0, 3]);
  });

  it("passes its own failure on and frees its place", async () => {
    const queue = new SearchQueue(bounds);
    const failure = new Error("of the search itself");
    expect(await outcome(queue.run(() => Promise.reject(failure)))).toBe(failure);
    await turn();
    expect(queue.running).toBe(0);
  });
});

describe("any coming and going", () => {
  it("never runs or holds more than the bounds, ends every search in one way, and leaves nothing", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("ask" as const), leaves: fc.boolean() }),
      fc.record({ kind: fc.constant("end" as const), pick: fc.nat() }),
      fc.record({ kind: fc.constant("leave" as const), pick: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 3 }),
        fc.array(step, { maxLength: 40 }),
        async (running, waiting, steps) => {
          const queue = new SearchQueue({ running, waiting, seconds: 60 });
          const asked: {
            held: ReturnType<typeof heldSearch>;
            client: AbortController;
            end: Promise<unknown>;
          }[] = [];
          for (const step of steps) {
            if (step.kind === "ask") {
              const [held, client] = [heldSearch(), new AbortController()];
              asked.push({ held, client, end: outcome(queue.run(held.search, client.signal)) });
            } else if (asked.length > 0) {
              const picked = asked[step.pick % asked.length];
              if (step.kind === "end") picked?.held.end();
              else picked?.client.abort();
            }
            await turn();
            expect(queue.running).toBeLessThanOrEqual(running);
            expect(queue.waiting).toBeLessThanOrEqual(waiting);
          }
          for (const { held } of asked) held.end();
          const ends = await Promise.all(asked.map(({ end }) => end));
          await turn();
          expect([queue.running, queue.waiting]).toStrictEqual([0, 0]);
          const found = ends.filter((end) => end === "found").length;
          const { shed, abandoned, timedOut } = queue.ended;
          expect(found + shed + abandoned + timedOut).toBe(asked.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});
