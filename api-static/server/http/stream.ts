// Streams bodies that are made while they are sent: a chunk is made only when the client takes the previous one, and a body
// that cannot continue is cut off with a reset, so that no client mistakes it for a complete one.
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

export type StreamBounds = {
  /** Milliseconds that may pass without a chunk, whether the server makes none or the client takes none. */
  readonly maxPause: number;
  /** Milliseconds that the whole body may take. */
  readonly maxTime: number;
};

export type StreamOptions = {
  readonly isGzipped: boolean;
  readonly bounds: StreamBounds;
  /**
   * Called once the body has ended, for any reason: the last chunk, a failure, a bound, or a closed connection. A failure of it is
   * passed to `onCut`.
   * @param bytes sent so far
   */
  readonly onEnd: (bytes: number) => Promise<void>;
  /** Called with the reason when a body cannot continue: `TooSlow`, or a failure of the service. */
  readonly onCut: (reason: unknown) => void;
  /** Resets the connection; returns false if there is none. */
  readonly reset: () => boolean;
};

/** Why a body was cut off at one of its bounds. */
export class TooSlow extends Error {
  override readonly name = "TooSlow";
}

/** A body that is made while it is sent. */
export type SentStream = {
  readonly stream: ReadableStream<Uint8Array>;
  /** The bytes sent, known when the body has ended, complete or not. */
  readonly sent: Promise<number>;
};

/** A body made of chunks, compressed or as they are. */
export function streamChunks(
  chunks: AsyncGenerator<Uint8Array, void>,
  { isGzipped, bounds, onEnd, onCut, reset }: StreamOptions,
): ReadableStream<Uint8Array> {
  const made = isGzipped ? gzipChunks(chunks) : chunks;
  let isOver = false;
  let bytes = 0;
  let pause: NodeJS.Timeout | undefined;
  let time: NodeJS.Timeout | undefined;
  const end = async () => {
    isOver = true;
    clearTimeout(pause);
    clearTimeout(time);
    const ends = await Promise.allSettled([made.return(), onEnd(bytes)]); // a chunk that is still being made ends with `onEnd`
    for (const end of ends) if (end.status === "rejected") onCut(end.reason);
  };
  const cut = (controller: ReadableStreamDefaultController, reason: unknown) => {
    onCut(reason);
    if (!reset()) controller.error(new Error("the body cannot continue"));
    return end();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const { maxPause, maxTime } = bounds;
        const limit = (milliseconds: number, rule: string) =>
          setTimeout(
            () => void cut(controller, new TooSlow(`${rule} ${milliseconds / 1000} s`)),
            milliseconds,
          );
        pause = limit(maxPause, "nothing was sent for");
        time = limit(maxTime, "it was not sent within");
      },
      async pull(controller) {
        try {
          const { done, value } = await made.next();
          if (isOver) return;
          if (done) {
            controller.close();
            return end();
          }
          controller.enqueue(value);
          bytes += value.length;
          pause?.refresh();
        } catch (error) {
          if (!isOver) return cut(controller, error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 }, // no chunk is made before it is requested
  );
}

/** Chunks compressed with gzip. */
async function* gzipChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const gzip = createGzip({ level: 1 });
  pipeline(chunks, gzip).catch(() => undefined); // `gzip` throws the same error
  yield* gzip;
}

/** Takes a request's connection, if there is one, out of the server's time limit for silence, because a stream has its own bounds. */
export function holdConnection(socket: Socket | undefined) {
  const timeout = socket?.timeout ?? 0;
  socket?.setTimeout(0);
  return {
    /** Cuts the connection with a TCP reset: a client of HTTP/1.0 would take its regular end for the end of the body. */
    reset: () => {
      socket?.resetAndDestroy();
      return socket !== undefined;
    },
    /** Lets the server's own time limit for silent connections apply again. */
    release: () => void socket?.setTimeout(timeout),
  };
}
