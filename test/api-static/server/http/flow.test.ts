// Owns the proof that a body made while it is sent is made no faster than it is taken, and ends in one of three ways.
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { streamChunks } from "../../../../api-static/server/http/flow.ts";

/** A body of so many chunks ("chunk 0\n", …), one of which may fail; what it did and what it told. */
function flowOf(chunks: number, { isPacked = false, failing = -1, isReset = true } = {}) {
  const told = { made: 0, closed: 0, resets: 0, errors: [] as unknown[] };
  async function* make(): AsyncGenerator<Uint8Array, void> {
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (chunk === failing) throw new Error("a part ends");
      told.made += 1;
      yield Buffer.from(`chunk ${chunk}\n`);
    }
  }
  const body = streamChunks(make(), isPacked, {
    close: async () => {
      told.closed += 1;
    },
    log: (error) => told.errors.push(error),
    reset: () => {
      told.resets += 1;
      return isReset;
    },
    patience: 1_000,
  });
  return { body, reader: () => body.getReader(), told };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.useRealTimers());

describe("a body made while it is sent", () => {
  it.each([false, true])("is all its chunks, then it is closed once; packed: %j", async (isPacked) => {
    const { body, told } = flowOf(3, { isPacked });
    const bytes = await new Response(body).bytes();
    expect(Buffer.from(isPacked ? gunzipSync(bytes) : bytes).toString()).toBe("chunk 0\nchunk 1\nchunk 2\n");
    await settle();
    expect(told).toStrictEqual({ made: 3, closed: 1, resets: 0, errors: [] });
  });

  it("makes a chunk only when the one before it was taken", async () => {
    const { reader, told } = flowOf(100);
    const reading = reader();
    for (let taken = 0; taken < 3; taken++) {
      await settle();
      expect(told.made).toBe(taken);
      await reading.read();
    }
    await reading.cancel();
  });

  it.each([false, true])("is closed once when the client goes away; packed: %j", async (isPacked) => {
    for (const reads of [0, 1]) {
      const { reader, told } = flowOf(100_000, { isPacked });
      const reading = reader();
      for (let read = 0; read < reads; read++) await reading.read();
      await reading.cancel();
      expect(told).toMatchObject({ closed: 1, resets: 0, errors: [] });
    }
  });

  it.each([false, true])(
    "cuts the connection and never ends by itself when it fails; packed: %j",
    async (isPacked) => {
      const { reader, told } = flowOf(3, { isPacked, failing: 1 });
      const reading = reader();
      const ends = (async () => {
        while (!(await reading.read()).done);
        return "ended";
      })();
      expect(
        await Promise.race([
          ends,
          settle()
            .then(settle)
            .then(() => "open"),
        ]),
      ).toBe("open");
      await vi.waitFor(() => expect(told.closed).toBe(1));
      expect(told.resets).toBe(1);
      expect(told.errors.map(String)).toStrictEqual(["Error: a part ends"]);
    },
  );

  it("fails without details where there is no connection to cut", async () => {
    const { body, told } = flowOf(3, { failing: 1, isReset: false });
    await expect(new Response(body).text()).rejects.toThrow("the body cannot go on");
    expect(told.closed).toBe(1);
  });

  it("cuts off a client that takes nothing for too long, but none that is slow", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { reader, told } = flowOf(10);
    const reading = reader();
    for (let read = 0; read < 3; read++) {
      await reading.read();
      await vi.advanceTimersByTimeAsync(999);
      expect(told.resets).toBe(0);
    }
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toMatchObject({ made: 3, closed: 1, resets: 1 });
    expect(told.errors.map(String)).toStrictEqual(["Error: no chunk was taken for 1000 ms"]);
  });
});
