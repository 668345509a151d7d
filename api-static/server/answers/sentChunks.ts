// Sends a body that is made while it is sent, within its time limits, and logs why one was cut off.
import type { Exchange } from "../http/exchange.ts";
import { holdConnection, type SentStream, streamChunks, TooSlow } from "../http/stream.ts";
import type { Log } from "../observe/log.ts";
import { PlaceTaken } from "./exportPlaces.ts";

export type SentChunks = {
  readonly chunks: AsyncGenerator<Uint8Array, void>;
  readonly isGzipped: boolean;
  /** Called once the body has ended, complete or not. */
  readonly close: () => Promise<void>;
};

export type SendContext = {
  /** Seconds that may pass without a chunk being sent. */
  readonly seconds: number;
  /** Minutes that the body may take. */
  readonly minutes: number;
  readonly log: Pick<Log, "warn" | "error">;
  /** What is sent, for the log. */
  readonly subject: "export" | "download" | "changes";
};

/** The body as a stream, and a function that cuts it off. */
export function sendChunks(
  exchange: Exchange,
  { chunks, isGzipped, close }: SentChunks,
  { seconds, minutes, log, subject }: SendContext,
): SentStream & { readonly cut: (reason?: unknown) => void } {
  const { promise: sent, resolve } = Promise.withResolvers<number>();
  const connection = holdConnection(exchange.request.socket);
  const onCut = (reason: unknown) => {
    if (exchange.signal.aborted) return; // the client closed its connection
    const fields = { request_id: exchange.id, path: exchange.target.path, err: reason };
    const isExpected = reason instanceof TooSlow || reason instanceof PlaceTaken;
    log[isExpected ? "warn" : "error"](`${subject} cut off`, fields);
  };
  const stream = streamChunks(chunks, {
    isGzipped,
    bounds: { maxPause: seconds * 1_000, maxTime: minutes * 60_000 },
    reset: connection.reset,
    onCut,
    onEnd: (bytes) => {
      connection.release();
      resolve(bytes);
      return close();
    },
  });
  const cut = (reason?: unknown) => {
    if (reason !== undefined) onCut(reason);
    connection.reset();
  };
  return { stream, sent, cut };
}
