// Tests the bounds on searches: which run, wait, are refused or stopped, and that no place leaks.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Refusal } from "../../../api-static/contract/errors.ts";
import { ClientGone, type SearchClient, SearchQueue } from "../../../api-static/search/queue.ts";
import { clientOf } from "./client.fixture.ts";

/** A search that ends when `end` is called, even if it was aborted. */
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

/** The refusal that a promise rejects with, its other error, or its value. */
async function outcome(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    return error instanceof Refusal ? error.error : error;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a search", () => {
  it("runs at once while there is room, then waits, and is refused at once when the queue is full", async () => {
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

  it("is stopped at its time limit while it waits or runs; a running one keeps its place until it has ended", async () => {
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

  it("is stopped at the time limit of its client instead, if it has one", async () => {
    const queue = new SearchQueue({ ...bounds, seconds: 600 });
    const search = heldSearch();
    const client = { network: "192.0.2.1", gone: new AbortController().signal, seconds: 0.05 };
    const message = "the search was stopped at its time limit of 0.05 seconds";
    expect(await outcome(queue.run(search.search, client))).toMatchObject({ code: "timeout", message });
    search.end();
  });

  it("is aborted when its client disconnects: before it starts, while it waits, or while it runs", async () => {
    const queue = new SearchQueue(bounds);
    const clients = [new AbortController(), new AbortController()];
    const first = heldSearch();
    const searches = clients.map((client) => outcome(queue.run(first.search, clientOf(client.signal))));
    for (const client of clients.reverse()) client.abort("gone");
    for (const end of await Promise.all(searches)) expect(end).toBeInstanceOf(ClientGone);
    expect(first.signal()?.aborted).toBe(true);
    expect(await outcome(queue.run(first.search, clientOf(AbortSignal.abort())))).toBeInstanceOf(ClientGone);
    first.end();
    await turn();
    expect([queue.running, queue.waiting, queue.ended.abandoned]).toStrictEqual([0, 0, 3]);
  });

  it("rejects with its own error and frees its place", async () => {
    const queue = new SearchQueue(bounds);
    const failure = new Error("of the search itself");
    expect(await outcome(queue.run(() => Promise.reject(failure)))).toBe(failure);
    await turn();
    expect(queue.running).toBe(0);
  });
});

describe("the searches of one request", () => {
  it("end in order, each in a turn of its own, at one time limit", async () => {
    const queue = new SearchQueue({ running: 1, waiting: 2, seconds: 0.2 });
    const order: unknown[] = [];
    const note = (name: unknown) => async () => order.push(name);
    const all = queue.runEach([1, 2, 3].map(note), { network: "a" });
    const other = queue.run(note("b"), { network: "b" });
    expect([await all, await other, order]).toStrictEqual([[1, 3, 4], 2, [1, "b", 2, 3]]);
    const held = heldSearch();
    const started = vi.fn(held.search);
    const slow = [() => new Promise<string>((resolve) => setTimeout(resolve, 150, "slow")), started];
    const message = "the search was stopped at its time limit of 0.2 seconds";
    expect(await outcome(queue.runEach([...slow, started]))).toMatchObject({ code: "timeout", message });
    held.end();
    await turn();
    expect(started.mock.calls.length).toBeLessThanOrEqual(1);
    expect([queue.running, queue.waiting]).toStrictEqual([0, 0]);
  });
});

describe("the searches of several clients", () => {
  const [a, b, c] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((network) =>
    clientOf(new AbortController().signal, network),
  );

  it("start for the client with the fewest running ones", async () => {
    const queue = new SearchQueue({ running: 2, waiting: 9, seconds: 60 });
    const held = Array.from({ length: 5 }, heldSearch);
    const all = held.map(({ search }, index) => queue.run(search, index === 4 ? b : a));
    held[0]?.end();
    await all[0];
    expect(held.map(({ signal }) => signal() !== undefined)).toStrictEqual([true, true, false, false, true]);
    for (const { end } of held) end();
    await Promise.all(all);
  });

  /** A queue with one place, which is taken until `end` is called, and the order in which other searches run. */
  async function startHeld(waiting: number) {
    const queue = new SearchQueue({ running: 1, waiting, seconds: 60 });
    const held = heldSearch();
    const order: string[] = [];
    const running = queue.run(held.search, a);
    const ask = (name: string, client?: SearchClient) =>
      outcome(queue.run(async () => order.push(name), client));
    const end = async (asked: Promise<unknown>[]) => {
      held.end();
      await Promise.all([running, ...asked]);
      return order;
    };
    return { queue, ask, end };
  }

  it("take turns, however many one client sends", async () => {
    const { ask, end } = await startHeld(10);
    const asked = ["a1", "a2", "a3"].map((name) => ask(name, a));
    asked.push(ask("b1", b), ask("b2", b), ask("c1", c));
    expect(await end(asked)).toStrictEqual(["b1", "a1", "c1", "b2", "a2", "a3"]);
  });

  it("are refused only if their client has most of a full queue, the newest first", async () => {
    const { queue, ask, end } = await startHeld(4);
    const asked = ["a1", "a2", "a3", "a4"].map((name) => ask(name, a));
    asked.push(ask("b1", b));
    expect(await asked[3]).toMatchObject({ code: "overloaded" });
    asked.push(ask("b2", b));
    expect(await asked[2]).toMatchObject({ code: "overloaded" });
    for (const client of [a, b]) expect(await ask("more", client)).toMatchObject({ code: "overloaded" });
    expect([queue.waiting, queue.ended.shed]).toStrictEqual([4, 4]);
    expect(await end(asked)).toStrictEqual(["b1", "a1", "b2", "a2"]);
  });

  it("have all of the queue if nobody else searches", async () => {
    const { ask, end } = await startHeld(64);
    const names = Array.from({ length: 64 }, (_, index) => `a${index}`);
    expect(await end(names.map((name) => ask(name, a)))).toStrictEqual(names);
  });
});

describe("a part of a running search", () => {
  it("takes a free place, which the next search waits for", async () => {
    const queue = new SearchQueue({ running: 2, waiting: 1, seconds: 60 });
    const held = heldSearch();
    const running = queue.run(held.search);
    const leave = queue.help();
    expect(leave).toBeDefined();
    expect(queue.help()).toBeUndefined();
    const waiting = queue.run(async () => "waited");
    expect([queue.running, queue.waiting]).toStrictEqual([1, 1]);
    leave?.();
    expect(await waiting).toBe("waited");
    held.end();
    await running;
  });
});

describe("any sequence of searches", () => {
  it("never exceeds the bounds, ends every search in exactly one way, and leaves no place taken", async () => {
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
          const searches: {
            held: ReturnType<typeof heldSearch>;
            client: AbortController;
            end: Promise<unknown>;
          }[] = [];
          for (const step of steps) {
            if (step.kind === "ask") {
              const [held, client] = [heldSearch(), new AbortController()];
              searches.push({ held, client, end: outcome(queue.run(held.search, clientOf(client.signal))) });
            } else if (searches.length > 0) {
              const picked = searches[step.pick % searches.length];
              if (step.kind === "end") picked?.held.end();
              else picked?.client.abort();
            }
            await turn();
            expect(queue.running).toBeLessThanOrEqual(running);
            expect(queue.waiting).toBeLessThanOrEqual(waiting);
          }
          for (const { held } of searches) held.end();
          const ends = await Promise.all(searches.map(({ end }) => end));
          await turn();
          expect([queue.running, queue.waiting]).toStrictEqual([0, 0]);
          const found = ends.filter((end) => end === "found").length;
          const { shed, abandoned, timedOut } = queue.ended;
          expect(found + shed + abandoned + timedOut).toBe(searches.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});
