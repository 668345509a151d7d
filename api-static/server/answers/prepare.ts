// Prepares answers from a release: a page of grants, an export, a summary, peers, an organization, names or a file of the site.
import { csvType } from "../../contract/csv.ts";
import { formatList } from "../../contract/envelope.ts";
import { formatLinks, htmlHeaders, jsonType } from "../../contract/headers.ts";
import { type NamesRequest, namesKey } from "../../contract/names.ts";
import { pageKey } from "../../contract/pageKeys.ts";
import { nothingHere } from "../../contract/refusals.ts";
import type {
  ExportRequest,
  HistoryRequest,
  OrganizationRequest,
  PeersRequest,
  SummaryRequest,
} from "../../contract/request.ts";
import { DamagedPage, digestBody } from "../../release/pageFileFormat.ts";
import { cleanPath } from "../../release/siteFiles.ts";
import { type Answer, answerFromRecords, answerHistory } from "../../search/answer.ts";
import type { Release } from "../../search/release.ts";
import type { Clients } from "../http/clients.ts";
import type { Exchange } from "../http/exchange.ts";
import {
  type Prepared,
  prepareContent,
  prepareError,
  prepareRedirect,
  prepareStream,
} from "../http/prepared.ts";
import { holdConnection, type SentStream, streamChunks, TooSlow } from "../http/stream.ts";
import type { DamagedPages } from "../observe/damagedPages.ts";
import type { Log } from "../observe/log.ts";
import type { KeptAssets } from "../releases/keptAssets.ts";
import type { Export, Exports } from "./export.ts";
import { answerPeers } from "./peers.ts";
import { summarize } from "./summary.ts";

export type AnswerContext = {
  readonly clients: Clients;
  readonly exports: Exports;
  readonly log: Log;
  readonly damagedPages: DamagedPages;
  readonly keptAssets: Pick<KeptAssets, "find">;
};

/** Counts a search of the client; returns the signal that is aborted when the client closes its connection. */
function admitSearch({ request, signal }: Exchange, { clients }: AnswerContext): AbortSignal {
  clients.admitSearch(request);
  return signal;
}

/** Prepares a page of grants. If its file is damaged, the records have the same bytes. */
export async function prepareHistory(
  exchange: Exchange,
  context: AnswerContext,
  release: Release,
  request: HistoryRequest,
): Promise<Prepared> {
  const admit = () => admitSearch(exchange, context);
  const prepare = (answer: Answer | undefined) => preparePage(exchange, release, request, answer);
  try {
    return await prepare(await answerHistory(release, request, admit));
  } catch (error) {
    if (!(error instanceof DamagedPage)) throw error;
    context.damagedPages.report(release.facts.release, String(pageKey(request)), error);
    return prepare(await answerFromRecords(release, request, admit));
  }
}

async function preparePage(
  exchange: Exchange,
  release: Release,
  request: HistoryRequest,
  answer: Answer | undefined,
): Promise<Prepared> {
  if (answer === undefined) return prepareFunderNotFound(exchange, release, request.filters.funderEin);
  const { path, page, plan } = answer;
  return prepareContent(
    exchange,
    { ...answer, type: jsonType },
    {
      headers: { Link: formatLinks(request, page, exchange.target.prefix) },
      isKept: path === "file",
      answeredBy: path,
      page: { request, total: page.total, plan: plan === undefined ? "" : `;desc="${plan}"` },
    },
  );
}

/** Prepares all grants that match the filters as a CSV file, made while it is sent. */
export async function prepareExport(
  exchange: Exchange,
  context: AnswerContext,
  release: Release,
  request: ExportRequest,
): Promise<Prepared> {
  const opened = await context.exports.open(release, request, () => admitSearch(exchange, context));
  if (opened === undefined) return prepareFunderNotFound(exchange, release, request.filters.funderEin);
  const isHead = exchange.request.method === "HEAD";
  if (isHead) await opened.close();
  return prepareStream(exchange, isHead ? null : streamExport(exchange, context, opened), {
    headers: {
      Vary: "Accept-Encoding",
      "Content-Type": csvType,
      "Content-Disposition": `attachment; filename="${opened.fileName}"`,
      ...(exchange.acceptsGzip ? { "Content-Encoding": "gzip" } : {}),
    },
    answeredBy: opened.path,
  });
}

function streamExport(
  exchange: Exchange,
  { exports, log }: AnswerContext,
  { chunks, close }: Export,
): SentStream {
  const { promise: sent, resolve } = Promise.withResolvers<number>();
  const connection = holdConnection(exchange.request.socket);
  const removeReset = exports.addReset(connection.reset);
  const { seconds, minutes } = exports.bounds;
  const stream = streamChunks(chunks, {
    isGzipped: exchange.acceptsGzip,
    bounds: { maxPause: seconds * 1_000, maxTime: minutes * 60_000 },
    reset: connection.reset,
    onCut: (reason) => {
      if (exchange.signal.aborted) return; // the client closed its connection
      const fields = { request_id: exchange.id, path: exchange.target.path, err: reason };
      if (reason instanceof TooSlow) log.warn("export cut off", fields);
      else log.error("export cut off", fields);
    },
    onEnd: (bytes) => {
      removeReset();
      connection.release();
      resolve(bytes);
      return close();
    },
  });
  return { stream, sent };
}

/** Prepares the totals or the peers of a funder or a recipient. */
export async function prepareTopic(
  exchange: Exchange,
  context: AnswerContext,
  release: Release,
  request: SummaryRequest | PeersRequest,
): Promise<Prepared> {
  const admit = () => admitSearch(exchange, context);
  const body =
    request.kind === "summary"
      ? await summarize(release, request, admit)
      : await answerPeers(release, request, admit);
  const answeredBy = "search";
  if (body !== undefined) return prepareContent(exchange, contentOf(body), { answeredBy });
  if (request.of === "funder")
    return { ...prepareFunderNotFound(exchange, release, request.ein), answeredBy };
  const message = `release ${release.facts.release} has no grants to recipient ${request.ein}`;
  return { ...prepareError(exchange, { code: "recipient_not_found", message }), answeredBy };
}

/** Prepares the name, city and state of an organization. */
export function prepareOrganization(
  exchange: Exchange,
  release: Release,
  { ein }: OrganizationRequest,
): Prepared | Promise<Prepared> {
  const organization = release.organizations.find(ein);
  if (organization !== undefined)
    return prepareContent(exchange, contentOf(Buffer.from(`{"success":true,"data":${organization}}\n`)));
  const message = `release ${release.facts.release} has no organization ${ein}`;
  return prepareError(exchange, { code: "organization_not_found", message });
}

/**
 * Prepares the names of funders, from their file. A list without a file is empty: a web page that asks for the names of
 * the EINs it shows should not meet errors.
 * @throws DamagedPage if the file is missing or cannot be used
 */
export async function prepareNames(
  exchange: Exchange,
  release: Release,
  { by, prefix }: NamesRequest,
): Promise<Prepared> {
  const key = namesKey(by, prefix);
  if (!release.names.has(key)) return prepareContent(exchange, contentOf(formatList(Buffer.alloc(0))));
  const file = release.pageFiles.read(key);
  if (file?.digest === undefined) throw new DamagedPage(`${key} is missing, or its header is not valid`);
  const { stored: body, digest } = file;
  const content = { type: jsonType, digest, body, isGzipped: true };
  return prepareContent(exchange, content, { isKept: true, answeredBy: "file" });
}

/** JSON that was made for this request. */
const contentOf = (body: Buffer) => ({ type: jsonType, digest: digestBody(body), body, isGzipped: false });

/** Prepares a file of the site, or a redirect from the name of a page's file to the page's address. */
export async function prepareSiteFile(
  exchange: Exchange,
  { keptAssets }: AnswerContext,
  release: Release,
): Promise<Prepared> {
  const { path, search } = exchange.target;
  const clean = cleanPath(path);
  if (clean !== undefined && release.site.has(clean)) return prepareRedirect(exchange, clean + search);
  const file = release.site.get(path) ?? (await keptAssets.find(path));
  if (file === undefined) return prepareError(exchange, nothingHere);
  const isHtml = file.type.startsWith("text/html");
  return prepareContent(exchange, { ...file, isGzipped: false }, isHtml ? { headers: htmlHeaders } : {});
}

function prepareFunderNotFound(exchange: Exchange, release: Release, ein: string | undefined): Prepared {
  const message = `release ${release.facts.release} has no grants of funder ${ein}`;
  return prepareError(exchange, { code: "funder_not_found", message });
}
