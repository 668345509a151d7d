// Lists all operations, and parses any URL by them: into a request, or into its problems. It accepts any text and never throws.
import { parseEin } from "./ein.ts";
import { malformed, type Problem } from "./errors.ts";
import { readMethods } from "./headers.ts";
import { feedOperations } from "./operations/feeds.ts";
import { fileOperations, serviceOperations } from "./operations/files.ts";
import {
  exportOperations,
  groupOperations,
  historyOperations,
  pageOperations,
  totalsOperations,
} from "./operations/history.ts";
import { type Operation, parseQuery, type Refused } from "./operations/operation.ts";
import { organizationOperations } from "./operations/organizations.ts";
import { reconcileOperations } from "./operations/reconcile.ts";
import { likelyFundersOperation, topicOperations } from "./operations/topics.ts";
import { idRule, readParameter } from "./parameters.ts";
import { decodePath } from "./query.ts";
import type { Draft } from "./values.ts";

/** Every operation, in the order of the document. Of two that match a path, the first one counts. */
export const operations = [
  ...historyOperations,
  ...totalsOperations,
  ...groupOperations,
  ...exportOperations,
  ...feedOperations,
  ...topicOperations,
  likelyFundersOperation,
  ...organizationOperations,
  ...reconcileOperations,
  ...pageOperations,
  ...fileOperations,
  ...serviceOperations,
] as const satisfies readonly Operation[];

type Row = (typeof operations)[number];

export type OperationId = Row["id"];

/** The path templates by operation. */
export const paths = Object.fromEntries(operations.map(({ id, path }) => [id, path])) as {
  readonly [Each in Row as Each["id"]]: Each["path"];
};

type Parsed = ReturnType<
  Extract<Row, { toRequest: unknown }>["toRequest"] | Extract<Row, { parseKey: unknown }>["parseKey"]
>;

/** The request of an operation. */
export type OperationRequest = Exclude<Parsed, Refused | undefined>;

/** The request of a URL, or its problems. */
export type ParsedUrl =
  | OperationRequest
  | Refused
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "unknown" };

const matchers = operations.map((operation: Operation) => {
  const literals = operation.path.split(/\{[a-z_]+\}/).map((text) => text.replaceAll(".", "\\."));
  return { operation, pattern: new RegExp(`^${literals.join("([^/]*)")}$`) };
});

/** The operation of a path, and the first text in the place of a name of its template. Only paths of files are decoded. */
function findOperation(path: string) {
  const decoded = decodePath(path);
  for (const { operation, pattern } of matchers) {
    const match = pattern.exec(operation.parseKey === undefined ? path : decoded);
    if (match !== null) return { operation, key: decoded.slice(1), segment: match[1] };
  }
  return undefined;
}

type Found = NonNullable<ReturnType<typeof findOperation>>;

/**
 * @param pathname percent-encoded, e.g., "/v1/funders/131635294/history"
 * @param query with or without the leading "?", e.g., "?limit=100&offset=200"
 */
export function parseRequest(pathname: string, query: string): ParsedUrl {
  return parse(findOperation(pathname), query);
}

function parse(found: Found | undefined, query: string): ParsedUrl {
  if (found === undefined) return { kind: "unknown" };
  const { operation, key, segment } = found;
  const request = operation.parseKey
    ? (query === "" || operation.isLenient) && operation.parseKey(key)
    : segment === undefined
      ? parseQuery(operation, query)
      : parseWithKey(operation, decodePath(segment), query);
  return request ? (request as ParsedUrl) : { kind: "unknown" };
}

function parseWithKey(operation: Operation, text: string, query: string) {
  const [head = "", name = "", tail = ""] = operation.path.split(/\{([a-z_]+)\}/);
  const draft: Draft = {};
  const fault = readParameter([name], name, [text], draft);
  const key = name === "id" ? [draft.id].find((id) => id === text) : parseEin(text); // a path is not trimmed
  if (fault !== undefined || key === undefined) {
    const rule = name === "id" ? idRule : "must be nine digits";
    const { code, message } = malformed(`${name} in the path ${rule}`, text);
    const problem: Problem = {
      parameter: name,
      code: fault?.code === "out_of_range" ? fault.code : code,
      message,
    };
    return parseQuery(operation, query, {}, [problem]);
  }
  if (key === text) return parseQuery(operation, query, draft);
  const search = query === "" || query.startsWith("?") ? query : `?${query}`;
  return { kind: "redirect", location: `${head}${key}${tail}${search}` };
}

const pinnedPath = /^(\/r\/([^/]*))(\/(?:v1\/.*|funder|recipient|compare|groups)?)$/s;

type PinnedPath = {
  /** e.g., "/r/20261120T040000Z"; "" if no release is pinned. */
  readonly prefix: string;
  /** The text in the place of the release id, valid or not; undefined if no release is pinned. */
  readonly release: string | undefined;
  /** The path without the prefix, e.g., "/v1/history". */
  readonly path: string;
};

export type ParsedTarget = PinnedPath & {
  /** The query with its "?", or "" if there is none. */
  readonly search: string;
  /** The operation that the path names; undefined for the site's files and unknown paths. */
  readonly operation: Operation | undefined;
  /** The methods that the path allows, separated by commas. */
  readonly methods: string;
  /** "unknown" for the site's files, too. */
  readonly request: ParsedUrl;
};

/** Parses the path and the query of any URL: the release that it pins, its operation and its request. @param pathname percent-encoded, as it was sent */
export function parseTarget(pathname: string, search: string): ParsedTarget {
  const pinned = splitPinned(pathname);
  const found = findOperation(pinned.path);
  const { operation } = found ?? {};
  const request = parse(found, search);
  const isElsewhere = pinned.release !== undefined && operation?.isPinned === false && isValid(request);
  return {
    ...pinned,
    search,
    operation,
    methods: operation?.methods ?? readMethods,
    request: isElsewhere ? { kind: "unknown" } : request,
  };
}

/** False for a request that its parameters or its path refuse. */
function isValid({ kind }: ParsedUrl): boolean {
  return kind !== "refused" && kind !== "redirect";
}

/** Splits off the prefix `/r/{release}`, which pins a release instead of the current one: for the API, and for the pages that show its data. */
export function splitPinned(pathname: string): PinnedPath {
  const [, prefix = "", release, path = pathname] = pinnedPath.exec(pathname) ?? [];
  return { prefix, release, path };
}
