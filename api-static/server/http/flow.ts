// Owns bodies that are sent while they are made: chunks are made only when the client takes them, and a stop is never a
// silent end.
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

export type FlowWatcher = {
  /**
   * Called once the body is over, whatever ended it: the last chunk, a failure, a client that goes away or stands still.
   * @param bytes that the body came to
   */
  readonly close: (bytes: number) => Promise<void>;
  /** Told why a body cannot go on: a failure of ours, or a client that takes nothing. */
  readonly log: (error: unknown) => void;
  /** Cuts the connection so that its other end sees a failure; false when there is none to cut. */
  readonly reset: () => boolean;
  /** Milliseconds that a client may take for a chunk. */
  readonly patience: number;
};

/** A body from chunks, packed or as they are. */
export function streamChunks(
  chunks: AsyncGenerator<Uint8Array, void>,
  isPacked: boolean,
  { close, log, reset, patience }: FlowWatcher,
): ReadableStream<Uint8Array> {
  const made = isPacked ? packChunks(chunks) : chunks;
  let isOver = false;
  let bytes = 0;
  let stall: NodeJS.Timeout | undefined;
  const end = async () => {
    isOver = true;
    clearTimeout(stall);
    await made.return();
    await close(bytes);
  };
  const stop = (controller: ReadableStreamDefaultController, error: unknown) => {
    log(error);
    if (!reset()) controller.error(new Error("the body cannot go on"));
    return end();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stall);
        try {
          const { done, value } = await made.next();
          if (isOver) return;
          if (done) {
            controller.close();
            return end();
          }
          controller.enqueue(value);
          bytes += value.length;
          stall = setTimeout(
            () => void stop(controller, new Error(`no chunk was taken for ${patience} ms`)),
            patience,
          );
        } catch (error) {
          if (!isOver) return stop(controller, error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 }, // nothing is made before it is asked for
  );
}

/** Chunks packed with gzip, put together to larger ones. */
async function* packChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const gzip = createGzip({ level: 1 });
  pipeline(chunks, gzip).catch(() => undefined); // a failure comes out of `gzip` as well
  yield* gzip;
}

/**
 * Cuts a request's connection with a reset (TCP RST): also a client of HTTP/1.0, for which the end of the connection is the
 * end of the body, sees that it failed.
 * @returns false where the request came over no socket
 */
export function resetConnection(c: Context): boolean {
  const socket = (c.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
  socket?.resetAndDestroy();
  return socket !== undefined;
}
