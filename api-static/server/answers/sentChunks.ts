// Sends a body that is made while it is sent, within its time limits, and logs why one was cut off.
import { holdConnection, type SentStream, streamChunks, TooSlow } from "../http/stream.ts";
import type { Asked } from "./asked.ts";
import { type ExportPlace, PlaceTaken } from "./exportPlaces.ts";

type SentChunks = {
  /** What is sent, for the log. */
  readonly subject: "export" | "download" | "changes";
  readonly chunks: AsyncGenerator<Uint8Array, void>;
  readonly isGzipped?: boolean;
  /** The place that it takes among all that are sent. */
  readonly place: ExportPlace;
  /** Called once the body has ended, complete or not. */
  readonly close: () => Promise<void>;
};

/** The body as a stream; whoever needs its place can cut it off. */
export function sendChunks(
  { exchange, context }: Pick<Asked, "exchange" | "context">,
  { subject, chunks, isGzipped = false, place, close }: SentChunks,
): SentStream {
  const { seconds, minutes } = context.exports.bounds;
  const { promise: sent, resolve } = Promise.withResolvers<number>();
  const connection = holdConnection(exchange.request.socket);
  const onCut = (reason: unknown) => {
    if (exchange.signal.aborted) return; // the client closed its connection
    const fields = { request_id: exchange.id, path: exchange.target.path, err: reason };
    const isExpected = reason instanceof TooSlow || reason instanceof PlaceTaken;
    context.log[isExpected ? "warn" : "error"](`${subject} cut off`, fields);
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
  place.cut = (reason?: unknown) => {
    if (reason !== undefined) onCut(reason);
    connection.reset();
  };
  return { stream, sent };
}
