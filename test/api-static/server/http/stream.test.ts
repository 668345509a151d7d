// Tests that a streamed body is made no faster than the client reads it, and that it ends complete, cut off, or with its client.
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { streamChunks, TooSlow } from "../../../../api-static/server/http/stream.ts";

/** A body of so many chunks ("chunk 0\n", …), one of which may fail or never come, and what happened to it. */
function bodyOf(
  chunks: number,
  { isGzipped = false, failing = -1, hanging = -1, isReset = true, isEndFailing = false } = {},
) {
  const seen = { made: 0, ended: 0, resets: 0, reasons: [] as unknown[] };
  const { promise: never, reject: stop } = Promise.withResolvers<never>();
  never.catch(() => undefined);
  async function* make(): AsyncGenerator<Uint8Array, void> {
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (chunk === failing) throw new Error("a part ends");
      if (chunk === hanging) await never;
      seen.made += 1;
      yield Buffer.from(`chunk ${chunk}\n`);
    }
  }
  const body = streamChunks(make(), {
    isGzipped,
    bounds: { maxPause: 1_000, maxTime: 4_000 },
    onEnd: async () => {
      seen.ended += 1;
      stop(new Error("it was ended"));
      if (isEndFailing) throw new Error("a file cannot be closed");
    },
    onCut: (reason) => seen.reasons.push(reason),
    reset: () => {
      seen.resets += 1;
      return isReset;
    },
  });
  return { body, seen };
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.useRealTimers());

describe("a streamed body", () => {
  it.each([false, true])("has all its chunks and ends once; compressed: %j", async (isGzipped) => {
    const { body, seen } = bodyOf(3, { isGzipped });
    const bytes = await readAll(body);
    expect(Buffer.from(isGzipped ? gunzipSync(bytes) : bytes).toString()).toBe("chunk 0\nchunk 1\nchunk 2\n");
    await turn();
    expect(seen).toStrictEqual({ made: 3, ended: 1, resets: 0, reasons: [] });
  });

  it("makes a chunk only when the one before it was taken", async () => {
    const { body, seen } = bodyOf(100);
    const reader = body.getReader();
    for (let taken = 0; taken < 3; taken++) {
      await turn();
      expect(seen.made).toBe(taken);
      await reader.read();
    }
    await reader.cancel();
  });

  it.each([false, true])("ends once when the client disconnects; compressed: %j", async (isGzipped) => {
    for (const reads of [0, 1]) {
      const { body, seen } = bodyOf(100_000, { isGzipped });
      const reader = body.getReader();
      for (let read = 0; read < reads; read++) await reader.read();
      await reader.cancel();
      expect(seen).toMatchObject({ ended: 1, resets: 0, reasons: [] });
    }
  });

  it.each([false, true])(
    "cuts the connection and never ends by itself when it fails; compressed: %j",
    async (isGzipped) => {
      const { body, seen } = bodyOf(3, { isGzipped, failing: 1 });
      const reader = body.getReader();
      const ending = (async () => {
        while (!(await reader.read()).done);
        return "ended";
      })();
      const later = turn()
        .then(turn)
        .then(() => "open");
      expect(await Promise.race([ending, later])).toBe("open");
      await vi.waitFor(() => expect(seen.ended).toBe(1));
      expect(seen.resets).toBe(1);
      expect(seen.reasons.map(String)).toStrictEqual(["Error: a part ends"]);
    },
  );

  it("fails without details when there is no connection to cut", async () => {
    const { body, seen } = bodyOf(3, { failing: 1, isReset: false });
    await expect(readAll(body)).rejects.toThrow("the body cannot continue");
    expect(seen.ended).toBe(1);
  });
});

describe("the bounds of a streamed body", () => {
  it("cut it off if its client reads nothing for too long, but not if it reads slowly", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { body, seen } = bodyOf(10);
    const reader = body.getReader();
    for (let read = 0; read < 3; read++) {
      await reader.read();
      await vi.advanceTimersByTimeAsync(999);
      expect(seen.resets).toBe(0);
    }
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toMatchObject({ made: 3, ended: 1, resets: 1 });
    expect(seen.reasons).toStrictEqual([new TooSlow("nothing was sent for 1 s")]);
  });

  it.each([false, true])("cut it off if no chunk is made for too long; compressed: %j", async (isGzipped) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { body, seen } = bodyOf(10, { hanging: 1, isGzipped });
    const reader = body.getReader();
    await reader.read(); // compression takes real time, so its first bytes come before the clock moves
    void reader.read();
    await vi.advanceTimersByTimeAsync(999);
    expect(seen).toMatchObject({ resets: 0, ended: 0 });
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toMatchObject({ made: 1, ended: 1, resets: 1 });
    expect(seen.reasons).toStrictEqual([new TooSlow("nothing was sent for 1 s")]);
  });

  it("cut it off if all of it takes too long, even if it is read steadily", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { body, seen } = bodyOf(100);
    const reader = body.getReader();
    for (let read = 0; read < 8; read++) {
      expect(seen.resets).toBe(0);
      await reader.read();
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(seen).toMatchObject({ made: 8, ended: 1, resets: 1 });
    expect(seen.reasons).toStrictEqual([new TooSlow("it was not sent within 4 s")]);
  });

  it("do not end the process if the end of the body fails, which is reported", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { body, seen } = bodyOf(3, { isEndFailing: true });
    await vi.advanceTimersByTimeAsync(1_000);
    for (let turns = 0; turns < 3; turns++) await turn();
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(seen.reasons).toStrictEqual([
      new TooSlow("nothing was sent for 1 s"),
      new Error("a file cannot be closed"),
    ]);
    await body.cancel();
  });

  it("end when the body ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { body } = bodyOf(3);
    expect(vi.getTimerCount()).toBe(2);
    await readAll(body);
    expect(vi.getTimerCount()).toBe(0);
  });
});
