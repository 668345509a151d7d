// Answers a request for grants, without HTTP: from a page file, from one funder's records, or by a search of the index.

import {
  envelopeParts,
  formatEnvelope,
  formatMatched,
  lineEnd,
  type Page,
} from "../contract/answers/envelope.ts";
import { areInRecords, meetsFilters } from "../contract/filters/table.ts";
import type { HistoryRequest } from "../contract/operations/searches.ts";
import { hasFunderPage, isWholeFunder, pageKey } from "../contract/operations/searches.ts";
import { readCents } from "../contract/text/amount.ts";
import { type FunderRow, findFunderRow, type SearchPage } from "../release/layout.ts";
import { compressLines, digestBody, digestBodyParts, formatPageFile } from "../release/pageFileFormat.ts";
import { maxRead } from "./plan.ts";
import type { SearchClient } from "./queue.ts";
import type { Release } from "./release.ts";

export type AnswerPath = "file" | "slice" | "search";

/** A successful answer. Its body is plain, or gzipped as in a page file. */
export type HistoryAnswer = {
  readonly path: AnswerPath;
  readonly page: Page;
  /** The digest of the plain body. */
  readonly digest: string;
  readonly body: Buffer;
  readonly isGzipped: boolean;
  /** How a search was run, for people. */
  readonly plan?: string;
};

/**
 * Called before a search. Throws a Refusal if the client may not search now; else returns the client, whose searches
 * take turns with those of others.
 */
export type AdmitSearch = () => SearchClient | undefined;

/** The client that asks: the encoding it accepts, and its permission to search. */
export type Asker = { readonly acceptsGzip?: boolean; readonly admit?: AdmitSearch };

/**
 * Answers from a release; undefined if the request's path names a funder without records, or a recipient without grants.
 * @throws DamagedPage if its page file cannot be used
 */
export async function answerHistory(
  release: Release,
  request: HistoryRequest,
  { acceptsGzip, admit }: Asker = {},
): Promise<HistoryAnswer | undefined> {
  const funder = findFunder(release, request);
  const file = await answerByFile(release, request, funder);
  if (file !== undefined) return file;
  if (!hasTopic(release, request)) return undefined;
  if (isWholeFunder(request.filters) && request.sort === undefined)
    return answerBySlice(release, request, funder, acceptsGzip);
  const client = admit?.();
  if (funder !== undefined && funder.records <= maxRead && areInRecords(request.filters))
    return answerByReading(release, request, funder);
  return answerBySearch(release, request, client);
}

/** False if the request's path names a funder without records, or a recipient without grants. */
export function hasTopic(
  { funders, search }: Release,
  { scope, filters: { funderEin, recipientEin } }: Pick<HistoryRequest, "scope" | "filters">,
): boolean {
  if (scope === "funder") return findFunderRow(funders, Number(funderEin)) !== undefined;
  return scope === "search" || (recipientEin !== undefined && search.hasRecipient(recipientEin));
}

function findFunder(release: Release, { filters: { funderEin } }: HistoryRequest): FunderRow | undefined {
  return funderEin === undefined ? undefined : findFunderRow(release.funders, Number(funderEin));
}

/**
 * Answers from a page file; undefined if the request has none, or if it is missing. A slice or a search then has the same
 * bytes.
 */
export async function answerByFile(
  release: Release,
  request: HistoryRequest,
  funder: FunderRow | undefined,
): Promise<HistoryAnswer | undefined> {
  const page = findPage(release, request, funder);
  if (page === undefined) return undefined;
  const file = await release.pageFiles.read(page.key);
  if (file === undefined) return undefined;
  const { stored: body, digest } = file;
  return { path: "file", page: pageOf(request, page.total), digest, body, isGzipped: true };
}

/**
 * The page file that the request should have. A funder's key is made of numbers from the request. A search's key contains
 * text, so it is taken from the release's list, and no path is built from what the client wrote.
 */
function findPage(
  release: Release,
  request: HistoryRequest,
  funder: FunderRow | undefined,
): SearchPage | undefined {
  const key = pageKey(request);
  if (key === undefined) return undefined;
  if (!isWholeFunder(request.filters)) return release.searches.get(key);
  if (funder === undefined || !hasFunderPage(funder.records, request)) return undefined;
  return { key, total: funder.records };
}

/**
 * Answers any window of a funder's whole history, whose records are neighbors, in order.
 * @param isGzipped true for the form of a page file
 */
export async function answerBySlice(
  release: Release,
  request: HistoryRequest,
  funder: FunderRow | undefined,
  isGzipped = false,
): Promise<HistoryAnswer> {
  const { first, records } = funder ?? { first: 0, records: 0 };
  const from = Math.min(request.offset, records);
  const to = Math.min(from + request.limit, records);
  const page = pageOf(request, records);
  const lines = release.records.readRange(first + from, first + to, scratch);
  if (!isGzipped || from === to) {
    const parts = envelopeParts(page, lines);
    return {
      path: "slice",
      page,
      digest: digestBodyParts(parts),
      body: Buffer.concat(parts),
      isGzipped: false,
    };
  }
  const { pieces, digest } = formatPageFile(page, lines, [compressLines(lines)]);
  return { path: "slice", page, digest, body: Buffer.concat(pieces), isGzipped: true };
}

/** Holds the lines of a window until they are copied or compressed. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * Answers a search among a funder's few records by checking each of them, as the plan `read` of a search does. That takes less
 * time than reaching a thread.
 */
function answerByReading(
  release: Release,
  request: HistoryRequest,
  { first, records }: FunderRow,
): HistoryAnswer {
  const { filters, sort, limit, offset } = request;
  const lines = release.records
    .readRange(first, first + records, scratch)
    .toString()
    .split(lineEnd);
  const found = lines.filter((line) => line !== "" && meetsFilters(line, filters));
  if (sort === "amount") found.sort(compareAmounts); // equal amounts stay in the result order
  const page = found.slice(offset, offset + limit).map((line) => line + lineEnd);
  return formatSearch(request, found.length, Buffer.from(page.join("")), "read of position");
}

/** Less than 0 if the first record has the larger amount. */
function compareAmounts(line: string, other: string): number {
  return Number(readCents(other) - readCents(line));
}

/** Answers any request by a search of the index. */
export async function answerBySearch(
  release: Release,
  request: HistoryRequest,
  client?: SearchClient,
): Promise<HistoryAnswer> {
  const { filters, sort, limit, offset } = request;
  const { total, lines, matches, plan } = await release.search.find(filters, limit, offset, client, sort);
  if (filters.matched === undefined) return formatSearch(request, total, lines, plan);
  return formatSearch(request, total, lines, plan, await release.matchTexts.format(lines, matches ?? []));
}

function formatSearch(
  request: HistoryRequest,
  total: number,
  lines: Buffer,
  plan: string,
  matches?: readonly string[],
): HistoryAnswer {
  const page = pageOf(request, total);
  const body = matches === undefined ? formatEnvelope(page, lines) : formatMatched(page, lines, matches);
  return { path: "search", page, digest: digestBody(body), body, isGzipped: false, plan };
}

function pageOf(request: HistoryRequest, total: number): Page {
  return { total, limit: request.limit, offset: request.offset };
}
