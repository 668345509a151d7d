// Responds from a release: with a page of grants, an export, a summary, peers, an organization, names or a file of the site.
import { join } from "node:path";
import type { Context } from "hono";
import { csvType } from "../../contract/csv.ts";
import { formatList } from "../../contract/envelope.ts";
import * as headers from "../../contract/headers.ts";
import { type NamesRequest, namesKey } from "../../contract/names.ts";
import { isWholeFunder, pageKey, storedEnding } from "../../contract/pageKeys.ts";
import type {
  ExportRequest,
  HistoryRequest,
  OrganizationRequest,
  PeersRequest,
  SummaryRequest,
} from "../../contract/request.ts";
import { parts } from "../../release/layout.ts";
import { DamagedPage, digestBody } from "../../release/pageFileFormat.ts";
import { cleanPath } from "../../release/siteFiles.ts";
import { type Answer, answerFromRecords, answerHistory } from "../../search/answer.ts";
import type { Release } from "../../search/release.ts";
import type { Clients } from "../http/clients.ts";
import { respond, setHeaders } from "../http/response.ts";
import { cacheControl, sendContent, sendError } from "../http/send.ts";
import { holdConnection, streamChunks, TooSlow } from "../http/stream.ts";
import type { DamagedPages } from "../observe/damagedPages.ts";
import type { Log } from "../observe/log.ts";
import type { SearchLog } from "../observe/searchLog.ts";
import type { KeptAssets } from "../releases/keptAssets.ts";
import type { Export, Exports } from "./export.ts";
import { answerPeers } from "./peers.ts";
import { summarize } from "./summary.ts";

export type ResponseContext = {
  readonly clock: () => Date;
  readonly clients: Clients;
  readonly exports: Exports;
  readonly log: Log;
  readonly damagedPages: DamagedPages;
  readonly keptAssets: Pick<KeptAssets, "find">;
  /** Records searches; undefined if they are not logged. */
  readonly searchLog?: Pick<SearchLog, "note"> | undefined;
};

/** Counts a search of the client; returns the signal that is aborted when the client closes its connection. */
function admitSearch(c: Context, { clients }: ResponseContext): AbortSignal {
  clients.admitSearch(c.env?.incoming);
  return c.req.raw.signal;
}

/** Responds with a page of grants. If its file is damaged, the records have the same bytes. */
export async function respondWithHistory(
  c: Context,
  context: ResponseContext,
  release: Release,
  request: HistoryRequest,
): Promise<Response> {
  const admit = () => admitSearch(c, context);
  const start = performance.now();
  const send = (answer: Answer | undefined) => sendAnswer(c, context, { release, request, answer, start });
  try {
    return await send(await answerHistory(release, request, admit));
  } catch (error) {
    if (!(error instanceof DamagedPage)) throw error;
    context.damagedPages.report(release.facts.release, String(pageKey(request)), error);
    return send(await answerFromRecords(release, request, admit));
  }
}

type Answered = {
  readonly release: Release;
  readonly request: HistoryRequest;
  readonly answer: Answer | undefined;
  /** When work on the request started, by `performance.now()`. */
  readonly start: number;
};

async function sendAnswer(
  c: Context,
  context: ResponseContext,
  { release, request, answer, start }: Answered,
): Promise<Response> {
  if (answer === undefined) return sendFunderNotFound(c, release, request.filters.funderEin);
  c.set("answeredBy", answer.path);
  const milliseconds = performance.now() - start;
  const plan = answer.plan === undefined ? "" : `;desc="${answer.plan}"`;
  setHeaders(c, {
    "Server-Timing": `${answer.path};dur=${milliseconds.toFixed(2)}${plan}`,
    Link: headers.formatLinks(request, answer.page, c.get("target").prefix),
  });
  const response = await sendContent(c, context.clock, { ...answer, type: headers.jsonType });
  if (!isWholeFunder(request.filters))
    context.searchLog?.note({ request, path: answer.path, milliseconds, total: answer.page.total });
  return response;
}

/** Responds with all grants that match the filters as a CSV file, made while it is sent. */
export async function respondWithExport(
  c: Context,
  context: ResponseContext,
  release: Release,
  request: ExportRequest,
): Promise<Response> {
  const opened = await context.exports.open(release, request, () => admitSearch(c, context));
  if (opened === undefined) return sendFunderNotFound(c, release, request.filters.funderEin);
  c.set("answeredBy", opened.path);
  const isGzipped = headers.acceptsGzip(c.req.header("Accept-Encoding"));
  setHeaders(c, {
    "Cache-Control": cacheControl(c, context.clock),
    Vary: "Accept-Encoding",
    "Content-Type": csvType,
    "Content-Disposition": `attachment; filename="${opened.fileName}"`,
  });
  if (isGzipped) setHeaders(c, { "Content-Encoding": "gzip" });
  if (c.req.method !== "HEAD") return respond(c, streamExport(c, context, opened, isGzipped));
  await opened.close();
  return respond(c, null);
}

function streamExport(
  c: Context,
  { exports, log }: ResponseContext,
  { chunks, close }: Export,
  isGzipped: boolean,
): ReadableStream<Uint8Array> {
  const { promise: sentBytes, resolve } = Promise.withResolvers<number>();
  c.set("sentBytes", sentBytes);
  const connection = holdConnection(c);
  const removeReset = exports.addReset(connection.reset);
  const { seconds, minutes } = exports.bounds;
  return streamChunks(chunks, {
    isGzipped,
    bounds: { maxPause: seconds * 1_000, maxTime: minutes * 60_000 },
    reset: connection.reset,
    onCut: (reason) => {
      if (c.req.raw.signal.aborted) return; // the client closed its connection
      const fields = { request_id: c.get("requestId"), path: c.req.path, err: reason };
      if (reason instanceof TooSlow) log.warn(fields, "export cut off");
      else log.error(fields, "export cut off");
    },
    onEnd: (bytes) => {
      removeReset();
      connection.release();
      resolve(bytes);
      return close();
    },
  });
}

/** Responds with the totals or the peers of a funder or a recipient. */
export async function respondWithTopic(
  c: Context,
  context: ResponseContext,
  release: Release,
  request: SummaryRequest | PeersRequest,
): Promise<Response> {
  const admit = () => admitSearch(c, context);
  const body =
    request.kind === "summary"
      ? await summarize(release, request, admit)
      : await answerPeers(release, request, admit);
  c.set("answeredBy", "search");
  if (body !== undefined) return sendBody(c, context, body);
  if (request.of === "funder") return sendFunderNotFound(c, release, request.ein);
  const message = `release ${release.facts.release} has no grants to recipient ${request.ein}`;
  return sendError(c, { code: "recipient_not_found", message });
}

/** Responds with the name, city and state of an organization. */
export async function respondWithOrganization(
  c: Context,
  context: ResponseContext,
  release: Release,
  { ein }: OrganizationRequest,
): Promise<Response> {
  const organization = release.organizations.find(ein);
  if (organization !== undefined)
    return sendBody(c, context, Buffer.from(`{"success":true,"data":${organization}}\n`));
  const message = `release ${release.facts.release} has no organization ${ein}`;
  return sendError(c, { code: "organization_not_found", message });
}

/**
 * Responds with the names of funders, from their file. A list without a file is empty: a web page that asks for the names of
 * the EINs it shows should not meet errors.
 * @throws DamagedPage if the file is missing or cannot be used
 */
export async function respondWithNames(
  c: Context,
  context: ResponseContext,
  release: Release,
  { by, prefix }: NamesRequest,
): Promise<Response> {
  const key = namesKey(by, prefix);
  if (!release.names.has(key)) return sendBody(c, context, formatList(Buffer.alloc(0)));
  c.set("answeredBy", "file");
  const file = await release.pageFiles.read(join(release.folder, parts.public, key + storedEnding));
  if (file?.digest === undefined) throw new DamagedPage(`${key} is missing, or its header is not valid`);
  const { stored, digest } = file;
  return sendContent(c, context.clock, { type: headers.jsonType, digest, body: stored, isGzipped: true });
}

/** Sends JSON that was made for this request. */
function sendBody(c: Context, { clock }: ResponseContext, body: Buffer): Promise<Response> {
  return sendContent(c, clock, { type: headers.jsonType, digest: digestBody(body), body, isGzipped: false });
}

/** Responds with a file of the site, or redirects from the name of a page's file to the page's address. */
export async function respondWithSiteFile(
  c: Context,
  { clock, keptAssets }: ResponseContext,
  release: Release,
  path: string,
): Promise<Response> {
  const clean = cleanPath(path);
  if (clean !== undefined && release.site.has(clean)) return redirect(c, clean + c.get("target").search);
  const file = release.site.get(path) ?? (await keptAssets.find(path));
  if (file === undefined) return sendError(c, { code: "not_found", message: "nothing exists at this path" });
  if (file.type.startsWith("text/html")) setHeaders(c, headers.htmlHeaders);
  return sendContent(c, clock, { ...file, isGzipped: false });
}

/** Redirects to the canonical URL, in the release that the request pins, if any. */
export function redirect(c: Context, location: string): Response {
  setHeaders(c, {
    "Cache-Control": headers.cacheRedirect,
    "Content-Length": "0",
    Location: c.get("target").prefix + location,
  });
  return respond(c, null, 308);
}

function sendFunderNotFound(c: Context, release: Release, ein: string | undefined): Response {
  const message = `release ${release.facts.release} has no grants of funder ${ein}`;
  return sendError(c, { code: "funder_not_found", message });
}
