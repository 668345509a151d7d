// Answers with the grants that match filters: with a page of them, their totals, groups of them, or a CSV file.
import { csvType } from "../../contract/csv.ts";
import { formatGroups } from "../../contract/envelope.ts";
import { cacheBriefly, formatLinks } from "../../contract/headers.ts";
import type { GroupsExportRequest, GroupsRequest } from "../../contract/operations/groups.ts";
import {
  type ExportRequest,
  type HistoryRequest,
  type TotalsRequest,
  totalsKeyOf,
} from "../../contract/operations/searches.ts";
import { answerHistory, hasTopic } from "../../search/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { prepare, prepareContent, prepareFromRelease, type Reply } from "../http/reply.ts";
import type { SentStream } from "../http/stream.ts";
import { type AnswerContext, type Asked, refuseScope } from "./asked.ts";
import type { Export } from "./export.ts";
import { nameExport } from "./exportName.ts";
import { sendChunks } from "./sentChunks.ts";

/** @throws DamagedPage if the page file cannot be used */
export async function answerPage(asked: Asked, request: HistoryRequest): Promise<Reply> {
  const { exchange, release, admit } = asked;
  const { acceptsGzip, target } = exchange;
  const answer = await answerHistory(release, request, { acceptsGzip, admit });
  if (answer === undefined) return refuseScope(asked, request);
  const { path, page, plan } = answer;
  return prepareContent(exchange, answer, {
    headers: formatLinks(request, page, target.prefix),
    answeredBy: path,
    searched: { request, total: page.total, plan },
  });
}

/** From a page file, or by adding up the matches. @throws DamagedPage if the page file cannot be used */
export async function answerTotals(asked: Asked, request: TotalsRequest): Promise<Reply> {
  const { exchange, release, admit } = asked;
  const key = totalsKeyOf(request);
  const page = key === undefined ? undefined : release.searches.get(key); // so that no path is made from a client's text
  const file = page && (await release.pageFiles.read(page.key));
  if (page !== undefined && file !== undefined) {
    const content = { body: file.stored, digest: file.digest, isGzipped: true };
    return prepareContent(exchange, content, {
      answeredBy: "file",
      searched: { request, total: page.total },
    });
  }
  if (!hasTopic(release, request)) return refuseScope(asked, request);
  const { all, body } = await release.search.findTotals(request.filters, admit());
  const searched = { request, total: all.records, plan: release.search.engine };
  return prepareContent(exchange, { body }, { answeredBy: "search", searched });
}

export async function answerGroups(
  { exchange, release, admit }: Asked,
  request: GroupsRequest,
): Promise<Reply> {
  const { filters, by, level, sort, limit, offset } = request;
  const wanted = { by, level, sort, limit, offset };
  const { all, total, lines } = await release.search.findGroups(filters, wanted, admit());
  const body = formatGroups({ total, ...all, limit, offset }, lines);
  const searched = { request, total: all.records, plan: release.search.engine };
  return prepareContent(exchange, { body }, { answeredBy: "search", searched });
}

/** A CSV file, which is made while it is sent. */
export async function answerExport(
  asked: Asked,
  request: ExportRequest | GroupsExportRequest,
): Promise<Reply> {
  const { exchange, release, context, admit } = asked;
  const opened = await context.exports.open(release, request, admit);
  if (opened === undefined) return refuseScope(asked, { scope: "search", ...request });
  const isHead = exchange.request.method === "HEAD";
  if (isHead) await opened.close();
  const about = {
    Vary: "Accept-Encoding",
    "Content-Type": csvType,
    "Content-Disposition": `attachment; filename="${nameExport(request, release.facts.synced_at)}"`,
    ...(exchange.acceptsGzip ? { "Content-Encoding": "gzip" } : {}),
  };
  const details = { body: isHead ? null : sendExport(exchange, context, opened), answeredBy: opened.path };
  // Names can change without the grants, and no purge list has exports with names.
  if (request.form.hasNames && exchange.target.release === undefined)
    return prepare(exchange, 200, { ...about, "Cache-Control": cacheBriefly }, details);
  return prepareFromRelease(exchange, about, details);
}

function sendExport(exchange: Exchange, { exports, log }: AnswerContext, opened: Export): SentStream {
  const { chunks, place, close } = opened;
  const body = { chunks, isGzipped: exchange.acceptsGzip, close };
  const { cut, ...sent } = sendChunks(exchange, body, { ...exports.bounds, log, subject: "export" });
  place.cut = cut;
  return sent;
}
