// Answers with the grants that match filters: with a page of them, their totals, groups of them, or a CSV file.
import { csvType } from "../../contract/answers/csv.ts";
import { formatGroups } from "../../contract/answers/envelope.ts";
import { filtersIn } from "../../contract/filters/table.ts";
import { cacheBriefly, formatLinks } from "../../contract/headers.ts";
import type { GroupsExportRequest, GroupsRequest } from "../../contract/operations/history.ts";
import {
  type ExportRequest,
  type HistoryRequest,
  type TotalsRequest,
  totalsKeyOf,
} from "../../contract/operations/searches.ts";
import { answerHistory, hasTopic } from "../../search/answer.ts";
import { prepare, prepareContent, prepareFromRelease, type Reply } from "../http/reply.ts";
import { type Asked, refuseScope } from "./asked.ts";
import { sendChunks } from "./files.ts";

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
  const sent = { ...opened, subject: "export", isGzipped: exchange.acceptsGzip } as const;
  const details = { body: isHead ? null : sendChunks(asked, sent), answeredBy: opened.path };
  // Names can change without the grants, and no purge list has exports with names.
  if (request.form.hasNames && exchange.target.release === undefined)
    return prepare(exchange, 200, { ...about, "Cache-Control": cacheBriefly }, details);
  return prepareFromRelease(exchange, about, details);
}

/** Characters of the name of a CSV file before its day, at most. */
const nameMax = 80;

/** The words before values that would be unclear by themselves. */
const leads: Readonly<Record<string, string>> = {
  recipient_ein: "to",
  min_year: "since",
  max_year: "until",
  min_amount: "min",
  max_amount: "max",
  matched: "likely",
};

/**
 * The name of a CSV file: letters, digits and hyphens, the same on every host for a URL and a release, e.g.,
 * "grants-music-CA-2026-11-28.csv".
 * @param syncedAt the time of the release, ISO 8601
 */
export function nameExport(request: ExportRequest | GroupsExportRequest, syncedAt: string): string {
  const by = request.kind === "groupsExport" ? ["by", request.by] : [];
  const words = filtersIn(request.filters)
    .filter(({ name }) => name !== "match")
    .flatMap(({ name, format }) => [leads[name] ?? "", format(request.filters)?.replace(/\.00$/, "") ?? ""]);
  const text = ["grants", ...by, ...words]
    .join("-")
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "") // é becomes e
    .replaceAll(/[^A-Za-z0-9]+/g, "-");
  return `${text.slice(0, nameMax).replace(/-$/, "")}-${syncedAt.slice(0, 10)}.csv`;
}
