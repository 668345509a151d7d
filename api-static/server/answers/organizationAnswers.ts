// Answers requests about organizations: one by its EIN, names of some by their EINs, some by a name, files of names, and the Reconciliation API.
import type { Ein } from "../../contract/ein.ts";
import { formatBest, formatList, lineEnd } from "../../contract/envelope.ts";
import type { ApiError } from "../../contract/errors.ts";
import { jsonType } from "../../contract/headers.ts";
import { describeService, suggestTerms } from "../../contract/manifest.ts";
import { type NamesRequest, namesKey } from "../../contract/names.ts";
import {
  formatOrganizationLines,
  type ListedOrganization,
  type NamesOfRequest,
  type OrganizationsRequest,
} from "../../contract/organizations.ts";
import type {
  PreviewRequest,
  ReconcileRequest,
  ReconcilingRequest,
  SuggestRequest,
} from "../../contract/reconcile.ts";
import { DamagedPage } from "../../release/pageFileFormat.ts";
import type { SearchClient } from "../../search/queue.ts";
import type { Release } from "../../search/release.ts";
import type { Exchange } from "../http/exchange.ts";
import * as http from "../http/reply.ts";
import { formatPreview, previewHeaders } from "./preview.ts";
import { answerReconcile, answerSuggest } from "./reconcile.ts";

export type OrganizationContext = {
  readonly exchange: Exchange;
  readonly release: Release;
  /** Where people reach the site; "" if it is not set. */
  readonly siteUrl: string;
  /** Counts a search of the client; returns the client. */
  readonly admit: () => SearchClient;
};

type Preparing = http.Reply | Promise<http.Reply>;

/** The request with its answer. */
export function answerOrganizations(
  context: OrganizationContext,
  request:
    | OrganizationsRequest
    | ReconcilingRequest
    | NamesRequest
    | NamesOfRequest
    | { readonly kind: "organization"; readonly ein: Ein },
): Preparing {
  switch (request.kind) {
    case "organization":
      return answerOrganization(context, request.ein);
    case "organizations":
      return answerSearch(context, request);
    case "names":
      return answerNames(context, request);
    case "namesOf":
      return answerNamesOf(context, request);
    case "reconcile":
      return answerBatch(context, request);
    case "suggest":
      return answerTyped(context, request);
    case "preview":
      return answerPreview(context, request);
  }
}

function answerOrganization({ exchange, release }: OrganizationContext, ein: Ein): Preparing {
  const organization = release.organizations.findWhole(ein);
  if (organization === undefined) return http.prepareError(exchange, unknownOrganization(release, ein));
  return http.prepareContent(exchange, { body: Buffer.from(`{"success":true,"data":${organization}}\n`) });
}

function unknownOrganization({ facts }: Release, ein: Ein): ApiError {
  const message = `release ${facts.release} has no organization ${ein}`;
  return { code: "organization_not_found", message };
}

async function answerSearch(
  { exchange, release, admit }: OrganizationContext,
  request: OrganizationsRequest,
): Promise<http.Reply> {
  const { total, organizations } = await release.organizationSearch.find(request, admit());
  const body = formatBest(total, Buffer.from(formatOrganizationLines(organizations)));
  return http.prepareContent(exchange, { body }, { answeredBy: "search", searched: { request, total } });
}

/**
 * A list of names without a file is empty: a web page that asks for the names of the EINs it shows should not meet errors.
 * @throws DamagedPage if the file is missing or cannot be used
 */
async function answerNames(
  { exchange, release }: OrganizationContext,
  { prefix }: NamesRequest,
): Promise<http.Reply> {
  const key = namesKey(prefix);
  if (!release.names.has(key)) return http.prepareContent(exchange, { body: formatList(Buffer.alloc(0)) });
  const file = await release.pageFiles.read(key);
  if (file === undefined) throw new DamagedPage(`${key} is missing`);
  const content = { digest: file.digest, body: file.stored, isGzipped: true };
  return http.prepareContent(exchange, content, { answeredBy: "file" });
}

/** The names of the organizations that the list has, in the order of the request. Most of them take one synchronous read each. */
function answerNamesOf({ exchange, release }: OrganizationContext, { eins }: NamesOfRequest): Preparing {
  const lines = eins.flatMap((sought) => {
    const line = release.organizations.find(sought);
    if (line === undefined) return [];
    const { ein, name, city, state } = JSON.parse(line.toString()) as ListedOrganization;
    return JSON.stringify({ ein, name, city, state }) + lineEnd;
  });
  return http.prepareContent(exchange, { body: formatList(Buffer.from(lines.join(""))) });
}

/** Answers to a batch, or the description of the service. Batches are not cached: hardly any is sent twice. */
async function answerBatch(
  { exchange, release, siteUrl, admit }: OrganizationContext,
  request: ReconcileRequest,
): Promise<http.Reply> {
  if (request.queries === undefined) {
    const manifest = describeService(originOf(exchange, siteUrl), exchange.target.prefix);
    return http.prepareText(exchange, `${JSON.stringify(manifest)}\n`, jsonType);
  }
  const text = await answerReconcile(release.organizationSearch, request.queries, admit());
  const searched = { request, total: request.queries.size };
  return { ...http.prepareText(exchange, text, jsonType), answeredBy: "search", searched };
}

async function answerTyped(
  { exchange, release, admit }: OrganizationContext,
  request: SuggestRequest,
): Promise<http.Reply> {
  if (request.of !== "entity")
    return http.prepareText(exchange, `${JSON.stringify({ result: suggestTerms(request) })}\n`, jsonType);
  const text = await answerSuggest(release.organizationSearch, request, admit());
  return { ...http.prepareText(exchange, text, jsonType), answeredBy: "search" };
}

async function answerPreview(
  { exchange, release, siteUrl, admit }: OrganizationContext,
  { ein }: PreviewRequest,
): Promise<http.Reply> {
  const { organizations } = await release.organizationSearch.find({ name: ein, limit: 1 }, admit());
  const [organization] = organizations;
  if (organization === undefined) return http.prepareError(exchange, unknownOrganization(release, ein));
  const page = formatPreview(organization, originOf(exchange, siteUrl));
  const prepared = http.prepareText(exchange, page, "text/html; charset=utf-8", previewHeaders);
  return { ...prepared, answeredBy: "search" };
}

/** Where the client reaches the service: SITE_URL, or else the host that it asked. Its own answer alone depends on its headers. */
export function originOf({ request: { headers } }: Exchange, siteUrl: string): string {
  if (siteUrl !== "") return siteUrl;
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  const forwarded = String(headers["x-forwarded-host"] ?? "");
  const host = /^[\w.:[\]-]+$/.test(forwarded) ? forwarded : headers.host;
  return `${scheme}://${host ?? "localhost"}`;
}
