// Answers with a download, with the index of the changes between releases, or with a file of changes. Large files, and bodies that are made while
// they are sent, are sent as fast as the client takes them.
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import {
  type ChangesRequest,
  changesIndexName,
  changesTypes,
  findChangesFile,
} from "../../contract/answers/changes.ts";
import { type DownloadRequest, downloadKey, downloadTypes } from "../../contract/answers/downloads.ts";
import {
  type ByteRange,
  cacheBriefly,
  cacheForever,
  formatContentRange,
  formatEtag,
  matchesEtag,
  namesOtherContent,
  readRange,
} from "../../contract/headers.ts";
import { noSuchRange, nothingHere } from "../../contract/refusals.ts";
import { parts } from "../../release/layout.ts";
import { prepare, prepareContent, prepareError, prepareFromRelease, type Reply } from "../http/reply.ts";
import { holdConnection, type SentStream, streamChunks, TooSlow } from "../http/stream.ts";
import type { Asked } from "./asked.ts";
import { type ExportPlace, PlaceTaken } from "./exportPlaces.ts";

/** Bytes read at a time: all that a download holds in memory, with as many in the connection's buffer. */
const chunkBytes = 64 * 1024;

/** @throws Error if the file does not have its sealed size; Refusal if too many files are sent */
export async function answerDownload(asked: Asked, { name }: DownloadRequest): Promise<Reply> {
  const { exchange, release } = asked;
  const { folder, facts } = release;
  const part = join(parts.public, downloadKey(name));
  const sealed = facts.parts[part];
  if (sealed === undefined) return prepareError(exchange, nothingHere);
  const { bytes: size, sha256: digest } = sealed;
  const file = { path: join(folder, part), size, digest, type: downloadTypes[name] };
  return answerFile(asked, file, "download", (headers, details) =>
    prepareFromRelease(exchange, headers, details),
  );
}

/** Answers from the index only, so that no path is made from a request's text. The changes are the same whatever release is pinned. */
export async function answerChanges(asked: Asked, { name }: ChangesRequest): Promise<Reply> {
  const { exchange } = asked;
  const { changes } = asked.context;
  const read = await changes.read();
  if (read === undefined) return prepareError(exchange, nothingHere);
  if (name === changesIndexName) {
    const headers = { "Cache-Control": cacheBriefly };
    return prepareContent(exchange, read.content, { headers, isUntilSync: false });
  }
  const file = findChangesFile(read.chain, name);
  if ("code" in file) return prepareError(exchange, file);
  const about = {
    path: changes.pathOf(name),
    type: changesTypes[file.format],
    size: file.bytes,
    digest: file.sha256,
  };
  return answerFile(asked, about, "changes", (headers, details) =>
    prepare(exchange, 200, { ...headers, "Cache-Control": cacheForever }, details),
  );
}

/** A file that does not change. */
type LargeFile = {
  readonly path: string;
  readonly size: number;
  readonly digest: string;
  readonly type: string;
};

/**
 * Answers with a file, or with the part that the client asks for.
 * @param prepareFound prepares the answer, with its caching
 * @throws Error if the file does not have its size
 */
async function answerFile(
  asked: Asked,
  file: LargeFile,
  subject: "download" | "changes",
  prepareFound: (headers: Record<string, string>, details: Omit<Partial<Reply>, "headers">) => Reply,
): Promise<Reply> {
  const { exchange } = asked;
  const { size, digest, type } = file;
  const etag = formatEtag(digest, false);
  const { method, headers } = exchange.request;
  const isWanted =
    !namesOtherContent(headers["if-match"], digest) && !matchesEtag(headers["if-none-match"], digest);
  const isSent = method === "GET" && isWanted; // the app answers the conditions
  const sought = { range: headers.range, ifRange: headers["if-range"] as string | undefined };
  const range = isSent ? readRange(sought, size, etag) : undefined; // RFC 9110 defines ranges for GET alone
  const accepts = { "Accept-Ranges": "bytes" };
  if (range === "unsatisfiable") {
    const all = { ...accepts, "Content-Range": formatContentRange(undefined, size) };
    return prepareError(exchange, noSuchRange(size), all);
  }
  const window = range ?? { offset: 0, length: size };
  const about = {
    ...accepts,
    ETag: etag,
    "Content-Type": type,
    "Content-Length": String(window.length),
    ...(range === undefined ? {} : { "Content-Range": formatContentRange(range, size) }),
  };
  const body = isSent ? await sendFile(asked, file, window, subject) : null;
  return prepareFound(about, { status: range === undefined ? 200 : 206, body, digest });
}

/** Sends a part of a file. The file stays open until the end, even if a sync removes its release meanwhile. */
async function sendFile(
  asked: Asked,
  { path, size }: LargeFile,
  window: ByteRange,
  subject: "download" | "changes",
): Promise<SentStream> {
  const { clients, exports } = asked.context;
  const places = exports.filePlaces;
  const place = places.take(clients.networkOf(asked.exchange.request));
  let handle: FileHandle | undefined;
  const close = async () => {
    places.leave(place);
    await handle?.close();
  };
  try {
    handle = await open(path);
    const found = (await handle.stat()).size;
    if (found !== size) throw new Error(`${path} has ${found} bytes; expected ${size}`);
    return sendChunks(asked, { subject, chunks: readChunks(handle, window, place), place, close });
  } catch (error) {
    await close();
    throw error;
  }
}

async function* readChunks(
  file: FileHandle,
  { offset, length }: ByteRange,
  place: ExportPlace,
): AsyncGenerator<Buffer, void> {
  const end = offset + length;
  for (let from = offset; from < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - from));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
    if (bytesRead === 0) throw new Error(`the file ends at ${from}, before ${end}`);
    yield chunk.subarray(0, bytesRead);
    place.count(bytesRead);
    from += bytesRead;
  }
}

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
