// Owns the reading of a request: URL → what is asked. Total: whatever the URL, it answers and never throws.
import { type Ein, parseEin } from "./ein.ts";
import type { Problem } from "./errors.ts";
import type { Filters } from "./filters.ts";
import * as limits from "./limits.ts";
import {
  type Draft,
  exportParameterNames,
  malformed,
  parameterNames,
  readParameter,
  shown,
} from "./parameters.ts";
import { readQuery } from "./query.ts";
import { routes } from "./routes.ts";

/** A page of grants: the records `offset` to `offset + limit` of those that meet the filters, in the contract's order. */
export type HistoryRequest = {
  readonly kind: "history";
  /** "funder" has the funder in its path and answers 404 for one without records. */
  readonly scope: "search" | "funder";
  readonly filters: Filters;
  readonly limit: number;
  readonly offset: number;
};

/** All grants that meet the filters as CSV, in the contract's order. */
export type ExportRequest = {
  readonly kind: "export";
  readonly scope: HistoryRequest["scope"];
  readonly filters: Filters;
  /** True when text that a spreadsheet takes for a formula is to be neutralised. */
  readonly isEscapingFormulas: boolean;
};

/** What all grants of a funder, or to a recipient, come to. */
export type SummaryRequest = {
  readonly kind: "summary";
  readonly of: "funder" | "recipient";
  readonly ein: Ein;
};

export type Asked =
  | HistoryRequest
  | ExportRequest
  | SummaryRequest
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown" };

type Operation = {
  /** Name of the operation in OpenAPI, and of a method in clients made from it. */
  readonly id: string;
  /** What it answers, in a few words for people. */
  readonly summary: string;
  /** Its template, with an EIN in it or none. */
  readonly path: string;
  /** The parameters that the query may give; the one in the path is none of them. */
  readonly parameters: readonly string[];
  /** What is asked, once the parameters are read. */
  readonly ask: (draft: Draft) => Asked;
};

/** Every operation on grants. */
export const operations = [
  {
    id: "searchGrants",
    summary: "Grants of all funders",
    path: routes.history,
    parameters: parameterNames,
    ask: askHistory("search"),
  },
  {
    id: "listFunderGrants",
    summary: "Grants of one funder",
    path: routes.funderHistory,
    parameters: parameterNames,
    ask: askHistory("funder"),
  },
  {
    id: "exportGrants",
    summary: "All matching grants, as CSV",
    path: routes.export,
    parameters: exportParameterNames,
    ask: askExport("search"),
  },
  {
    id: "exportFunderGrants",
    summary: "All matching grants of one funder, as CSV",
    path: routes.funderExport,
    parameters: exportParameterNames,
    ask: askExport("funder"),
  },
  {
    id: "summariseFunder",
    summary: "Totals for a funder",
    path: routes.funderSummary,
    parameters: [],
    ask: ({ funderEin }) => askSummary("funder", funderEin),
  },
  {
    id: "summariseRecipient",
    summary: "Totals for a recipient",
    path: routes.recipientSummary,
    parameters: [],
    ask: ({ recipientEin }) => askSummary("recipient", recipientEin),
  },
] as const satisfies readonly Operation[];

/** An operation with what stands before and after the EIN in its path, if it has one. */
type ParsedOperation = Operation & {
  readonly head: string;
  readonly einName: string | undefined;
  readonly tail: string;
};

const parsedOperations: readonly ParsedOperation[] = operations.map((operation) => {
  const [head = "", einName, tail = ""] = operation.path.split(/\{([a-z_]+)\}/);
  const parameters = operation.parameters.filter((name) => name !== einName);
  return { ...operation, parameters, head, einName, tail };
});

/**
 * What a URL asks.
 * @param pathname as in a URL, percent-encoded, e.g., "/v1/funders/131635294/history"
 * @param query with or without the leading "?", e.g., "?limit=100&offset=200"
 */
export function parseRequest(pathname: string, query: string): Asked {
  for (const operation of parsedOperations) {
    const segment = findSegment(operation, pathname);
    if (segment === undefined) continue;
    return operation.einName === undefined
      ? parseQuery(operation, {}, [], query)
      : parseWithEin(operation, operation.einName, decodeSegment(segment), query);
  }
  return { kind: "unknown" };
}

/** What stands in a path where the operation has an EIN ("" where it has none); undefined when the path is none of it. */
function findSegment({ head, einName, tail }: ParsedOperation, pathname: string): string | undefined {
  if (einName === undefined) return pathname === head ? "" : undefined;
  if (!pathname.startsWith(head) || !pathname.endsWith(tail)) return undefined;
  const segment = pathname.slice(head.length, Math.max(head.length, pathname.length - tail.length));
  return segment.includes("/") || pathname !== head + segment + tail ? undefined : segment;
}

function parseWithEin(operation: ParsedOperation, einName: string, text: string, query: string): Asked {
  const draft: Draft = {};
  const fault = readParameter([einName], einName, [text], draft);
  if (fault !== undefined) {
    const problem = malformed(`${einName} in the path must be nine digits`, text);
    return parseQuery(operation, {}, [{ parameter: einName, ...problem }], query);
  }
  const ein = parseEin(text);
  if (ein === text) return parseQuery(operation, draft, [], query);
  const search = query === "" || query.startsWith("?") ? query : `?${query}`;
  return { kind: "redirect", location: `${operation.head}${ein}${operation.tail}${search}` };
}

function parseQuery(
  operation: ParsedOperation,
  draft: Draft,
  pathProblems: readonly Problem[],
  query: string,
): Asked {
  const problems = [...pathProblems];
  for (const [name, values] of readQuery(query)) {
    const fault = readParameter(operation.parameters, name, values, draft);
    if (fault !== undefined) problems.push({ parameter: shown(name), ...fault });
  }
  if (problems.length > 0) return { kind: "refused", problems };
  return operation.ask(draft);
}

function askHistory(scope: HistoryRequest["scope"]): Operation["ask"] {
  return ({ limit = limits.pageSizeDefault, offset = 0, ...filters }) => ({
    kind: "history",
    scope,
    filters,
    limit,
    offset,
  });
}

function askExport(scope: HistoryRequest["scope"]): Operation["ask"] {
  return ({ isEscapingFormulas = false, ...filters }) => ({
    kind: "export",
    scope,
    filters,
    isEscapingFormulas,
  });
}

function askSummary(of: SummaryRequest["of"], ein: Ein | undefined): Asked {
  return ein === undefined ? { kind: "unknown" } : { kind: "summary", of, ein };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a stray "%" or an escape that is not UTF-8: no EIN, and the error shows it as it was sent
  }
}
