// Answers requests of the Reconciliation API: its description, candidates for the names of a batch, suggestions, and previews.
import { createHash } from "node:crypto";
import { hyphenateEin } from "../../contract/ein.ts";
import { jsonType } from "../../contract/headers.ts";
import { batchMax, organizationsMax, suggestionsMax } from "../../contract/limits.ts";
import {
  entityTypes,
  type PreviewRequest,
  queryProperties,
  type ReconcileQuery,
  type ReconcileRequest,
  type SuggestRequest,
} from "../../contract/operations/reconcile.ts";
import { paths } from "../../contract/request.ts";
import { formatCents, type Sum } from "../../contract/text/amount.ts";
import { nameWords } from "../../contract/text/names.ts";
import { isOptionalWord, spellWord } from "../../contract/text/nameWords.ts";
import { stateNames } from "../../contract/text/states.ts";
import { version } from "../../contract/version.ts";
import type {
  FoundOrganization,
  FoundOrganizations,
  OrganizationQuery,
  OrganizationSearch,
} from "../../search/names/organizationSearch.ts";
import type { SearchClient } from "../../search/queue.ts";
import { type Exchange, originOf } from "../http/exchange.ts";
import { prepareText, type Reply } from "../http/reply.ts";
import { type Asked, refuseOrganization } from "./asked.ts";
import { escapeHtml } from "./pageTags.ts";

/** The score of a candidate that is chosen without a person, and its lead over the others. */
const sureScore = 90;
const sureLead = 3;

/** Size of the frame for previews in pixels. */
const frame = { width: 400, height: 150 };

/** The answers to a batch, or the description of the service. */
export async function answerReconcile(
  { exchange, release, context, admit }: Asked,
  request: ReconcileRequest,
): Promise<Reply> {
  const { queries } = request;
  if (queries === undefined)
    return sendJson(exchange, describeService(originOf(exchange, context.siteUrl), exchange.target.prefix));
  const results = await findResults(release.organizationSearch, queries, admit());
  const searched = { request, total: queries.size };
  return { ...sendJson(exchange, results), answeredBy: "search", searched };
}

/** Suggestions for a text that is typed. Those of properties and types need no search. */
export async function answerSuggest(
  { exchange, release, admit }: Asked,
  { of, prefix, role, skipped }: SuggestRequest,
): Promise<Reply> {
  if (of !== "entity") {
    const terms: readonly { id: string; name: string }[] = of === "property" ? queryProperties : entityTypes;
    const result = terms.filter(({ id, name }) =>
      [id, name.toLowerCase()].some((text) => text.startsWith(prefix)),
    );
    return sendJson(exchange, { result });
  }
  const client = admit();
  const limit = Math.min(skipped + suggestionsMax, organizationsMax);
  const query = { name: prefix, ...(role && { role }), limit };
  const found = prefix === "" ? undefined : await release.organizationSearch.find(query, client);
  const result = (found?.organizations ?? [])
    .slice(skipped)
    .map((organization) => ({ ...formatEntity(organization), notable: typesOf(organization) }));
  return { ...sendJson(exchange, { result }), answeredBy: "search" };
}

function sendJson(exchange: Exchange, value: object): Reply {
  return prepareText(exchange, `${JSON.stringify(value)}\n`, jsonType);
}

/**
 * The service manifest. Entities are identified by EINs, as in the list US-EIN of org-id.guide, on every server alike.
 * @param origin where clients reach the service, e.g., "https://grants.example.org"
 * @param prefix of a pinned release, or ""
 */
function describeService(origin: string, prefix: string) {
  const suggest = (path: string) => ({ service_url: origin, service_path: prefix + path });
  return {
    versions: ["0.2"],
    name: "US nonprofits by EIN",
    identifierSpace: "http://org-id.guide/list/US-EIN",
    schemaSpace: "https://schema.org/Organization",
    documentation: `${origin}/docs`,
    serviceVersion: version,
    defaultTypes: entityTypes,
    view: { url: `${origin}/recipient?ein={{id}}` },
    preview: { url: `${origin}${prefix}${paths.previewOrganization}?id={{id}}`, ...frame },
    suggest: {
      entity: suggest(paths.suggestOrganizations),
      property: suggest(paths.suggestProperties),
      type: suggest(paths.suggestTypes),
    },
    batchSize: batchMax,
  };
}

/** The candidates for each query of a batch, by its key. @throws as `findMany` does */
async function findResults(
  search: OrganizationSearch,
  queries: ReadonlyMap<string, ReconcileQuery>,
  client: SearchClient,
): Promise<object> {
  const asked = [...queries].map(([key, query]) => ({ key, query, searches: listSearches(query) }));
  const all = asked.flatMap(({ searches }) => searches);
  const found = all.length === 0 ? [] : await search.findMany(all, client);
  let next = 0;
  const results = asked.map(({ key, query, searches }) => {
    const lists = found.slice(next, next + searches.length);
    next += searches.length;
    return [key, { result: formatCandidates(lists, query) }];
  });
  return Object.fromEntries(results);
}

/** Up to two searches: by EIN, and by name for an EIN that is not known. */
function listSearches({ name, ein, state, place, role, limit }: ReconcileQuery): OrganizationQuery[] {
  const byName = {
    ...(state !== undefined && { state }),
    ...(place !== undefined && { place }),
    ...(role !== undefined && { role }),
    limit: Math.max(limit, 2), // the second one shows how far the first one leads
  };
  return [
    ...(ein === undefined ? [] : [{ name: ein, limit: 1 }]),
    ...(name === "" ? [] : [{ name, ...byName }]),
  ];
}

/** The candidates of the first search that has some, the highest score first. */
function formatCandidates(lists: readonly FoundOrganizations[], { name, ein, limit }: ReconcileQuery) {
  const { organizations = [] } = lists.find((list) => list.organizations.length > 0) ?? {};
  const candidates = organizations.toSorted((a, b) => b.score - a.score);
  return candidates.slice(0, limit).map((candidate, index) => ({
    ...formatEntity(candidate),
    type: typesOf(candidate),
    score: candidate.score,
    match:
      index === 0 &&
      isSure(candidate, candidates[1]) &&
      ([name, ein].includes(candidate.ein) || isSameKind(name, candidate.name ?? "")),
  }));
}

function isSure({ match, score }: FoundOrganization, second: FoundOrganization | undefined): boolean {
  const hasAllWords = match === "exact" || match === "words";
  return hasAllWords && score >= sureScore && (second === undefined || score - second.score >= sureLead);
}

/** Words that two organizations of otherwise the same name differ by: a school is not its foundation. */
const kinds = ["foundation", "fund", "trust"];

/** True if both names have the same words of kinds, and the second one all codes of states in the first one: else, these may be of its place. */
function isSameKind(asked: string, found: string): boolean {
  const [words, others] = [nameWords(asked), nameWords(found)].map((all) => new Set(all.map(spellWord)));
  const isCode = (word: string) => stateNames.has(word.toUpperCase());
  return (
    kinds.every((kind) => words?.has(kind) === others?.has(kind)) &&
    nameWords(asked).every((word) => !isCode(word) || isOptionalWord(word) || others?.has(spellWord(word)))
  );
}

/** Every organization has the first type, and those of its grants. */
function typesOf({ given, received }: FoundOrganization) {
  const [organization, funder, recipient] = entityTypes;
  return [organization, ...(given.records > 0 ? [funder] : []), ...(received.records > 0 ? [recipient] : [])];
}

/** Its EIN is its name if the list of organizations lacks it. */
function formatEntity(organization: FoundOrganization) {
  const { ein, name } = organization;
  return { id: ein, name: name ?? `EIN ${hyphenateEin(ein)}`, description: describe(organization) };
}

/** e.g., "POST 12; NEW YORK, NY; 4 grants made, 1 received" */
function describe({ also, city, state, given, received }: FoundOrganization): string {
  const place = [city, state].filter((part) => part !== null).join(", ");
  const made = [
    given.records > 0 ? `${countGrants(given.records)} made` : "",
    received.records > 0 ? `${countGrants(received.records)} received` : "",
  ].filter(Boolean);
  return [also ?? "", place, made.join(", ") || "no grants"].filter(Boolean).join("; ");
}

function countGrants(records: number): string {
  return records === 1 ? "1 grant" : `${records.toLocaleString("en-US")} grants`;
}

const style = "body{font:14px/1.4 sans-serif;margin:8px}h1{font-size:16px;margin:0}p{margin:4px 0 0}";

/** Other sites may frame the page. It has one style, and loads nothing. */
const previewHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  "Referrer-Policy": "no-referrer",
};

export async function answerPreview(asked: Asked, request: PreviewRequest): Promise<Reply> {
  const { exchange, release, context, admit } = asked;
  const { organizations } = await release.organizationSearch.find({ name: request.ein, limit: 1 }, admit());
  const [organization] = organizations;
  if (organization === undefined) return refuseOrganization(asked, request);
  const page = formatPreview(organization, originOf(exchange, context.siteUrl));
  const prepared = prepareText(exchange, page, "text/html; charset=utf-8", previewHeaders);
  return { ...prepared, answeredBy: "search" };
}

/** @param origin of the site, to which the page's links lead */
function formatPreview(organization: FoundOrganization, origin: string): string {
  const { ein, name, also, city, state, given, received } = organization;
  const place = [also, city, state].filter((part) => part !== undefined && part !== null).join(", ");
  const sides = [
    ["funder", "made", given],
    ["recipient", "received", received],
  ] as const;
  const known = sides.filter(([, , { records }]) => records > 0);
  const lines = known.map(([page, verb, sum]) => {
    const href = `${origin}/${page}?ein=${ein}`;
    return `<p><a href="${escapeHtml(href)}" target="_blank" rel="noopener">${describeSum(sum)} ${verb}</a></p>`;
  });
  const title = escapeHtml(name ?? `EIN ${hyphenateEin(ein)}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1><p>EIN ${hyphenateEin(ein)}${place === "" ? "" : ` · ${escapeHtml(place)}`}</p>${lines.join("") || "<p>No grants in the data</p>"}</body></html>
`;
}

function describeSum({ records, amount }: Sum): string {
  const dollars = formatCents(amount).replace(/\B(?=(\d{3})+\.)/g, ",");
  return `${countGrants(records)}, $${dollars}`;
}
