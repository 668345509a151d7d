// Parses a URL into a request. It accepts any text and never throws: the problems of a URL are part of the result.
import { findConflicts } from "./conflicts.ts";
import type { CsvForm } from "./csv.ts";
import { type Ein, parseEin } from "./ein.ts";
import { malformed, type Problem, shown } from "./errors.ts";
import { type FeedRequest, feedOperations } from "./feeds.ts";
import { filterNames } from "./filters/table.ts";
import { withoutNeedlessMatch } from "./filters/texts.ts";
import type { Filters } from "./filters.ts";
import { type GroupsExportRequest, type GroupsRequest, groupOperations } from "./groups.ts";
import { type LikelyFundersRequest, listLikelyFunders } from "./likelyFunders.ts";
import * as limits from "./limits.ts";
import {
  findOrganizations,
  listNames,
  type NamesOfRequest,
  type OrganizationsRequest,
} from "./organizations.ts";
import { csvParameters, groupParameters, idRule, parameterNames, readParameter } from "./parameters.ts";
import { decodePath, type NotUtf8, readQuery } from "./query.ts";
import { type ReconcilingRequest, reconcileOperations } from "./reconcile.ts";
import { cutTemplate, findSegment, routes } from "./routes.ts";
import { listSharedRecipients, type SharedRequest } from "./shared.ts";
import { type Draft, type Parameter, splitForm } from "./values.ts";

/** A page of grants: the matching records from `offset` to `offset + limit`, in result order. */
export type HistoryRequest = {
  readonly kind: "history";
  /** "funder" and "recipient" name one in the path, and are 404 if the release does not have it. */
  readonly scope: "search" | "funder" | "recipient";
  readonly filters: Filters;
  /** By amount, then by year; absent for the result order. */
  readonly sort?: "amount";
  readonly limit: number;
  readonly offset: number;
};

/** The totals of all matching grants. */
export type TotalsRequest = {
  readonly kind: "totals";
  readonly scope: HistoryRequest["scope"];
  readonly filters: Filters;
};

/** All matching grants as CSV, in result order. */
export type ExportRequest = {
  readonly kind: "export";
  readonly scope: HistoryRequest["scope"];
  readonly filters: Filters;
  readonly form: CsvForm;
};

/** Totals for a funder or a recipient, or its peers. */
export type TopicRequest = {
  readonly kind: "summary" | "peers";
  readonly of: "funder" | "recipient";
  readonly ein: Ein;
};

/** One grant, by its id: a signed 64-bit integer in decimal. */
export type GrantRequest = { readonly kind: "grant"; readonly id: string };

/** The request of a URL, or its problems. */
export type ParsedUrl =
  | HistoryRequest
  | TotalsRequest
  | GroupsRequest
  | GroupsExportRequest
  | ExportRequest
  | FeedRequest
  | TopicRequest
  | SharedRequest
  | LikelyFundersRequest
  | GrantRequest
  | OrganizationsRequest
  | NamesOfRequest
  | ReconcilingRequest
  | { readonly kind: "organization"; readonly ein: Ein }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown" };

type Operation = {
  /** Also the name of the method in generated clients. */
  readonly id: string;
  readonly summary: string;
  /** Its path template, with at most one EIN or id. */
  readonly path: string;
  /** The parameters that it accepts; the one in the path is not allowed in the query. */
  readonly parameters: readonly string[];
  /** Those that differ from the ones of the same name. */
  readonly own?: Readonly<Record<string, Parameter>>;
  /** True if parameters that are unknown or blank have no effect. */
  readonly isLenient?: boolean;
  readonly toRequest: (draft: Draft) => ParsedUrl;
};

/** Every operation on grants and organizations. */
export const operations = [
  listing("searchGrants", "Grants of all funders", routes.history, "search"),
  listing("listFunderGrants", "Grants of one funder", routes.funderHistory, "funder"),
  listing("listRecipientGrants", "Grants to one recipient", routes.recipientHistory, "recipient"),
  totals("summarizeGrants", "Totals of all matching grants", routes.totals, "search"),
  totals(
    "summarizeFunderGrants",
    "Totals of the matching grants of one funder",
    routes.funderTotals,
    "funder",
  ),
  ...groupOperations,
  download("exportGrants", "All matching grants, as CSV", routes.export, "search"),
  download("exportFunderGrants", "All matching grants of one funder, as CSV", routes.funderExport, "funder"),
  download(
    "exportRecipientGrants",
    "All matching grants to a recipient, as CSV",
    routes.recipientExport,
    "recipient",
  ),
  ...feedOperations,
  topic("summarizeFunder", "Totals for a funder", routes.funderSummary, "summary", "funder"),
  topic("summarizeRecipient", "Totals for a recipient", routes.recipientSummary, "summary", "recipient"),
  topic("listFunderPeers", "Funders of the same recipients", routes.funderPeers, "peers", "funder"),
  topic(
    "listRecipientPeers",
    "Other recipients of the same funders",
    routes.recipientPeers,
    "peers",
    "recipient",
  ),
  listLikelyFunders,
  listSharedRecipients,
  {
    id: "readGrant",
    summary: "One grant, and the return that it is from",
    path: routes.grant,
    parameters: [],
    toRequest: ({ id }) => (id === undefined ? { kind: "unknown" } : { kind: "grant", id }),
  },
  {
    id: "readOrganization",
    summary: "Name, place, finances and mission of an organization",
    path: routes.organization,
    parameters: [],
    toRequest: ({ ein }) => (ein === undefined ? { kind: "unknown" } : { kind: "organization", ein }),
  },
  findOrganizations,
  listNames,
  ...reconcileOperations,
] as const satisfies readonly Operation[];

type Scope = HistoryRequest["scope"];

function listing<Id extends string>(id: Id, summary: string, path: string, scope: Scope) {
  const toRequest = (draft: Draft): ParsedUrl => {
    const { sort, limit = limits.pageSizeDefault, offset = 0, ...filters } = draft;
    return { kind: "history", scope, filters, ...(sort === "amount" && { sort }), limit, offset };
  };
  return { id, summary, path, parameters: [...parameterNames, ...onlyOf(scope)], toRequest };
}

function download<Id extends string>(id: Id, summary: string, path: string, scope: Scope) {
  const toRequest = (draft: Draft): ParsedUrl => {
    const [filters, form] = splitForm(draft);
    return { kind: "export", scope, filters, form };
  };
  const parameters = [...filterNames, "match", ...onlyOf(scope), ...csvParameters];
  return { id, summary, path, parameters, toRequest };
}

/** The parameters that only grants of this scope have. */
function onlyOf(scope: Scope): readonly string[] {
  return scope === "recipient" ? ["matched"] : [];
}

function totals<Id extends string>(id: Id, summary: string, path: string, scope: Scope) {
  const toRequest = (filters: Draft): ParsedUrl => ({ kind: "totals", scope, filters });
  return { id, summary, path, parameters: [...filterNames, "match"], toRequest };
}

function topic<Id extends string>(
  id: Id,
  summary: string,
  path: string,
  kind: TopicRequest["kind"],
  of: TopicRequest["of"],
) {
  const toRequest = (draft: Draft): ParsedUrl => {
    const ein = draft[`${of}Ein`];
    return ein === undefined ? { kind: "unknown" } : { kind, of, ein };
  };
  return { id, summary, path, parameters: [], toRequest };
}

const parsedOperations = operations.map((operation: Operation) => {
  const cut = cutTemplate(operation.path);
  const parameters = operation.parameters.filter((name) => name !== cut.keyName);
  return { ...operation, ...cut, parameters };
});

type ParsedOperation = (typeof parsedOperations)[number];

/**
 * @param pathname percent-encoded, e.g., "/v1/funders/131635294/history"
 * @param query with or without the leading "?", e.g., "?limit=100&offset=200"
 */
export function parseRequest(pathname: string, query: string): ParsedUrl {
  for (const operation of parsedOperations) {
    const segment = findSegment(operation, pathname);
    if (segment === undefined) continue;
    return operation.keyName === undefined
      ? parseQuery(operation, {}, [], query)
      : parseWithKey(operation, operation.keyName, decodePath(segment), query);
  }
  return { kind: "unknown" };
}

function parseWithKey(operation: ParsedOperation, keyName: string, text: string, query: string): ParsedUrl {
  const draft: Draft = {};
  const fault = readParameter([keyName], keyName, [text], draft);
  const key = keyName === "id" ? [draft.id].find((id) => id === text) : parseEin(text); // a path is not trimmed
  if (fault !== undefined || key === undefined) {
    const rule = keyName === "id" ? idRule : "must be nine digits";
    const { code, message } = malformed(`${keyName} in the path ${rule}`, text);
    const problem = { parameter: keyName, code: fault?.code === "out_of_range" ? fault.code : code, message };
    return parseQuery(operation, {}, [problem], query);
  }
  if (key === text) return parseQuery(operation, draft, [], query);
  const search = query === "" || query.startsWith("?") ? query : `?${query}`;
  return { kind: "redirect", location: `${operation.head}${key}${operation.tail}${search}` };
}

function parseQuery(
  operation: ParsedOperation,
  draft: Draft,
  pathProblems: readonly Problem[],
  query: string,
): ParsedUrl {
  const problems = [...pathProblems];
  const given = readQuery(query);
  for (const [name, values] of given) {
    if (problems.length === limits.problemsMax) break;
    if (operation.isLenient && isIgnored(operation, name, values)) continue;
    const fault = readParameter(operation.parameters, name, values, draft, operation.own);
    if (fault !== undefined) problems.push({ parameter: shown(name), ...fault });
  }
  problems.push(...findConflicts(draft, operation.own === groupParameters));
  const request = operation.toRequest(withoutNeedlessMatch(draft));
  if (request.kind === "refused")
    problems.push(...request.problems.filter(({ parameter }) => !given.has(parameter)));
  if (problems.length > 0) return { kind: "refused", problems: problems.slice(0, limits.problemsMax) };
  return request;
}

function isIgnored(
  { parameters }: ParsedOperation,
  name: string,
  values: readonly (string | NotUtf8)[],
): boolean {
  return (
    !parameters.includes(name) || values.every((value) => typeof value === "string" && value.trim() === "")
  );
}
