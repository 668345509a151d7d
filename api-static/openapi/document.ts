// Builds the OpenAPI document (version 3.1) from the definitions that the server parses requests and writes responses with.
import { einSchema } from "../contract/ein.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { feedOperations } from "../contract/feeds.ts";
import { problemsMax } from "../contract/limits.ts";
import { parameters } from "../contract/parameters.ts";
import { operations } from "../contract/request.ts";
import { routes } from "../contract/routes.ts";
import { releaseId, type Schema } from "../contract/schema.ts";
import type { Parameter } from "../contract/values.ts";
import { version } from "../contract/version.ts";
import {
  type Answers,
  type Described,
  failures,
  found,
  headers,
  ifNoneMatch,
  json,
  type MediaType,
  notModified,
  page,
  redirect,
  success,
  unreadable,
  unreadableResponses,
} from "./answers.ts";
import examples from "./examples.json" with { type: "json" };
import { atom, jsonFeed } from "./feeds.ts";
import { fileOperations } from "./files.ts";
import { reconcileAnswers, requestBody } from "./reconcile.ts";
import { schemas } from "./schemas.ts";

const description = `Every grant that US nonprofits report in their annual tax filings (Form 990), as of the last nightly sync.

- Every operation answers GET and HEAD, and one answers POST. OPTIONS answers CORS preflights; any origin may read.
- Lists are ordered by year (newest first), amount (largest first) and id, so pages never overlap or skip.
- Unknown, repeated and blank parameters are errors. One response reports every problem of a request, up to ${problemsMax}.
- Responses are gzipped for clients that accept it, and may be cached until the next sync.`;

function plain(example: string): MediaType {
  return { type: "text/plain", schema: { type: "string" }, example };
}

const contract: MediaType = {
  type: "application/json",
  schema: { type: "object" },
  example: { openapi: "3.1.0" },
};

function download(example: string): Answers {
  const csv = { type: "text/csv", schema: { type: "string" }, example };
  return success("The CSV file.", csv, "X-Release", "Vary", "Content-Disposition");
}

type GrantsOperation = (typeof operations)[number];

type Operation = Pick<GrantsOperation, "id" | "summary" | "path" | "parameters"> & {
  readonly own?: Readonly<Record<string, Parameter>>;
};

/** The successful response of each operation on grants and organizations. */
const answers: Readonly<Record<GrantsOperation["id"], Answers>> = {
  searchGrants: page(examples.searchGrants),
  listFunderGrants: page(examples.listFunderGrants),
  listRecipientGrants: page(examples.listRecipientGrants, routes.recipientHistory),
  exportGrants: download(examples.exportGrants),
  exportFunderGrants: download(examples.exportFunderGrants),
  exportRecipientGrants: download(examples.exportRecipientGrants),
  summarizeGrants: found("The totals.", json(routes.totals, examples.summarizeGrants)),
  summarizeFunderGrants: found("The totals.", json(routes.funderTotals, examples.summarizeFunderGrants)),
  groupGrants: found("The groups.", json(routes.groups, examples.groupGrants)),
  exportGroups: download(examples.exportGroups),
  followGrants: found("The feed.", atom(examples.followGrants)),
  followGrantsJson: found("The feed.", jsonFeed(examples.followGrantsJson)),
  followFunder: found("The feed.", atom(examples.followFunder)),
  followFunderJson: found("The feed.", jsonFeed(examples.followFunderJson)),
  summarizeFunder: found("The summary.", json(routes.funderSummary, examples.summarizeFunder)),
  summarizeRecipient: found("The summary.", json(routes.recipientSummary, examples.summarizeRecipient)),
  listFunderPeers: found("The peers.", json(routes.funderPeers, examples.listFunderPeers)),
  listRecipientPeers: found("The peers.", json(routes.recipientPeers, examples.listRecipientPeers)),
  listLikelyFunders: found("The funders.", json(routes.likelyFunders, examples.listLikelyFunders)),
  listSharedRecipients: found(
    "The shared recipients.",
    json(routes.sharedRecipients, examples.listSharedRecipients),
  ),
  readGrant: found("The grant.", json(routes.grant, examples.readGrant)),
  readOrganization: found("The organization.", json(routes.organization, examples.readOrganization)),
  findOrganizations: found(
    "The organizations.",
    json(routes.organizations, examples.findOrganizations),
    "Server-Timing",
  ),
  listNames: found("The names.", json(routes.names, examples.listNames)),
  ...reconcileAnswers,
};

/** The error for an EIN or id in the path that the release does not have. */
const notFound: Readonly<Record<string, ErrorCode>> = {
  funder_ein: "funder_not_found",
  recipient_ein: "recipient_not_found",
  ein: "organization_not_found",
  id: "grant_not_found",
};

/** The errors of operations that may search the index. */
const searchErrors: readonly ErrorCode[] = ["rate_limited", "overloaded", "timeout"];

function describeGrants({ id, summary, path, parameters: names, own = {} }: Operation): Described {
  const [, key] = /\{(\w+)\}/.exec(path) ?? [];
  const ofPath = key === undefined ? [] : [{ name: key, in: "path", required: true, ...describeKey(key) }];
  const ofQuery = names.flatMap((name) =>
    name === key ? [] : [{ name, in: "query", ...isRequired(name), ...meaning(name, own) }],
  );
  const missing = notFound[key ?? ""];
  return {
    id,
    summary,
    tag: "Grants",
    parameters: [...ofPath, ...ofQuery, ...(id in reconcileAnswers ? [] : [ifNoneMatch])],
    ...(path === routes.reconcile && { requestBody }),
    answers: { ...answers[id], ...(key === undefined || key === "id" ? {} : redirect) },
    codes: [
      "invalid_parameter",
      ...(id === "readOrganization" || id === "listNames" ? [] : searchErrors),
      "not_ready",
      ...(missing === undefined ? [] : [missing]),
      ...(id === "listLikelyFunders" ? (["not_served"] as const) : []),
      ...(id === "previewOrganization" ? (["organization_not_found"] as const) : []),
    ],
  };
}

function isRequired(name: string): Schema {
  return ["funders", "by", "name", "id", "eins"].includes(name) ? { required: true } : {};
}

/** The key in a path: an id, or one EIN. */
function describeKey(name: string): Pick<Schema, "description" | "schema"> {
  const parameter = parameters[name];
  if (parameter === undefined || name === "id") return meaning(name, {});
  const [description] = parameter.description.split(/(?<=\.) /); // the rest is about lists
  const [example] = parameter.schema.examples as readonly string[];
  return { description, schema: { ...einSchema, examples: [example] } };
}

function meaning(name: string, own: Operation["own"]): Pick<Schema, "description" | "schema"> {
  const { description, schema } = own?.[name] ?? parameters[name] ?? {};
  return { description, schema };
}

function service(id: string, summary: string, answers: Answers, ...codes: ErrorCode[]): Described {
  return { id, summary, tag: "Service", parameters: [], answers, codes };
}

/** Every operation by its path. */
const described: Readonly<Record<string, Described>> = {
  ...Object.fromEntries(operations.map((operation) => [operation.path, describeGrants(operation)])),
  ...fileOperations,
  [routes.status]: service(
    "readStatus",
    "The release being served: counts, age, next sync",
    success("The status.", json(routes.status, examples.readStatus), "X-Release"),
    "not_ready",
  ),
  [routes.report]: service(
    "readReport",
    "The report of the sync: rows, changes, page files; the last syncs",
    success("The report.", json(routes.report, examples.readReport), "X-Release"),
    "not_ready",
  ),
  [routes.openapi]: service("readContract", "This document", {
    ...success("The document.", contract, "ETag", "Vary"),
    ...notModified,
  }),
  [routes.health]: service(
    "readHealth",
    "Whether the process is alive",
    success("The process is alive.", plain(examples.readHealth)),
  ),
  [routes.ready]: service(
    "readReadiness",
    "Whether a release is open",
    success("A release is open.", plain(examples.readReadiness)),
    "not_ready",
  ),
};

function pathItem({ id, summary, tag, parameters, requestBody, answers, codes }: Described): Schema {
  const about = { summary, tags: [tag] };
  const respond = (...more: ErrorCode[]) => ({
    ...answers,
    ...failures("bad_request", ...codes, ...more, "internal"),
    ...unreadable,
  });
  const get = { operationId: id, ...about, parameters, responses: respond() };
  if (requestBody === undefined) return { get };
  const ofPath = parameters.filter(({ in: place }) => place !== "query");
  const responses = respond("content_too_large", "unsupported_media_type");
  const post = { operationId: `${id}Form`, ...about, parameters: ofPath, requestBody, responses };
  return { get, post };
}

/** The same operation on a pinned release. */
function pin({ id, summary, codes, parameters, ...others }: Described): Described {
  return {
    ...others,
    id: `${id}OfRelease`,
    summary: `${summary}; from a pinned release`,
    parameters: [{ $ref: "#/components/parameters/Release" }, ...parameters],
    codes: [...codes.filter((code) => code !== "not_ready"), "release_not_found"],
  };
}

/** No release pins a feed: it is about the changes up to now. */
const unpinned: readonly string[] = feedOperations.map(({ path }) => path);

const paths = Object.entries(described).flatMap(([path, operation]) => [
  [path, pathItem(operation)] as const,
  ...(path.startsWith("/v1/") && !unpinned.includes(path)
    ? [[`/r/{release}${path}`, pathItem(pin(operation))] as const]
    : []),
]);

/** The document; the same in every process. */
export const openapi = {
  openapi: "3.1.0",
  info: {
    title: "Grant history service",
    version,
    summary: "Grants of US nonprofits, read-only",
    description,
  },
  servers: [{ url: "/", description: "The host that serves this document" }],
  security: [],
  tags: [
    { name: "Grants", description: "Grants, their totals, peers, and organizations." },
    { name: "Service", description: "The state of the service." },
  ],
  paths: Object.fromEntries(paths),
  components: {
    schemas,
    headers,
    responses: unreadableResponses,
    parameters: {
      IfNoneMatch: {
        name: "If-None-Match",
        in: "header",
        description: "ETags of the client's copies; 304 if one of them is current.",
        schema: { type: "string" },
      },
      Release: {
        name: "release",
        in: "path",
        required: true,
        description:
          "A release id, as in the `X-Release` header. Its responses never change, and their `Link` headers stay in the release.",
        schema: releaseId,
      },
    },
  },
};

/** The document's text, as every host serves it. */
export const openapiText = `${JSON.stringify(openapi, null, 1)}\n`;
