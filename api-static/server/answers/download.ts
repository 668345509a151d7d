// Answers with a large file, or a part of it, read from disk as fast as the client takes it: a download, or changes.
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type DownloadRequest, downloadKey, downloadTypes } from "../../contract/downloads.ts";
import { formatEtag, matchesEtag, namesOtherContent } from "../../contract/headers.ts";
import { type ByteRange, formatContentRange, readRange } from "../../contract/ranges.ts";
import { noSuchRange, nothingHere } from "../../contract/refusals.ts";
import { parts } from "../../release/layout.ts";
import type { Exchange } from "../http/exchange.ts";
import { prepareError, prepareFromRelease, type Reply } from "../http/reply.ts";
import type { SentStream } from "../http/stream.ts";
import type { AnswerContext, Asked } from "./asked.ts";
import type { ExportPlace } from "./exportPlaces.ts";
import { type SendContext, sendChunks } from "./sentChunks.ts";

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

/** A file that does not change. */
export type LargeFile = {
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
export async function answerFile(
  { exchange, context }: Asked,
  { path, size, digest, type }: LargeFile,
  subject: SendContext["subject"],
  prepareFound: (headers: Record<string, string>, details: Omit<Partial<Reply>, "headers">) => Reply,
): Promise<Reply> {
  const etag = formatEtag(digest, false);
  const { method, headers } = exchange.request;
  const isWanted =
    !namesOtherContent(headers["if-match"], digest) && !matchesEtag(headers["if-none-match"], digest);
  const isSent = method === "GET" && isWanted; // the app answers the conditions
  const asked = { range: headers.range, ifRange: headers["if-range"] as string | undefined };
  const range = isSent ? readRange(asked, size, etag) : undefined; // RFC 9110 defines ranges for GET alone
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
  const body = isSent ? await sendFile(exchange, context, { path, size, window, subject }) : null;
  return prepareFound(about, { status: range === undefined ? 200 : 206, body, digest });
}

type Sent = Pick<LargeFile, "path" | "size"> & Pick<SendContext, "subject"> & { readonly window: ByteRange };

/** Sends a part of a file. The file stays open until the end, even if a sync removes its release meanwhile. */
async function sendFile(
  exchange: Exchange,
  { clients, exports, log }: AnswerContext,
  { path, size, window, subject }: Sent,
): Promise<SentStream> {
  const places = exports.filePlaces;
  const place = places.take(clients.networkOf(exchange.request));
  let file: FileHandle | undefined;
  const close = async () => {
    places.leave(place);
    await file?.close();
  };
  try {
    file = await open(path);
    const found = (await file.stat()).size;
    if (found !== size) throw new Error(`${path} has ${found} bytes; expected ${size}`);
    const chunks = readChunks(file, window, place);
    const bounds = { ...exports.bounds, log, subject };
    const { cut, ...sent } = sendChunks(exchange, { chunks, isGzipped: false, close }, bounds);
    place.cut = cut;
    return sent;
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
