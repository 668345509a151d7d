// Defines what an operation is: the row from which the parser, every host and the OpenAPI document work. Reads its parameters.

import { type ErrorCode, type Problem, shown } from "../errors.ts";
import { findConflicts } from "../filters/table.ts";
import { withoutNeedlessMatch } from "../filters/texts.ts";
import { problemsMax } from "../limits.ts";
import { groupParameters, readParameter } from "../parameters.ts";
import { type NotUtf8, readQuery } from "../query.ts";
import type { Draft, Parameter } from "../values.ts";

export type Refused = { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** The successful answer of an operation, for the OpenAPI document. */
export type AnswerMeaning = {
  readonly about: string;
  /** Its media type; JSON if absent. */
  readonly type?: string;
  /** The name of its schema in the document. */
  readonly schema?: string;
  /** Its headers, in addition to those of every response. With an ETag, it has conditions. */
  readonly headers?: readonly string[];
};

/** An operation. `Request` is what its URLs are parsed into; the server has an answer for each kind. */
export type Operation<Request extends { readonly kind: string } = { readonly kind: string }> = {
  /** Also the name of the method in generated clients. */
  readonly id: string;
  readonly summary: string;
  /** Its path template: `{name}` is one segment of the path, or a part of one. */
  readonly path: string;
  /** The parameters that it accepts; the one in the path is not allowed in the query. */
  readonly parameters?: readonly string[];
  /** Overrides of shared parameters. */
  readonly own?: Readonly<Record<string, Parameter>>;
  /** The parameter that must be given, and what it is. */
  readonly required?: { readonly name: string; readonly rule: string };
  /** True if parameters that are unknown or blank have no effect. */
  readonly isLenient?: boolean;
  /** The request of parameters; undefined if they name nothing. */
  toRequest?(draft: Draft): Request | Refused | undefined;
  /** In the place of `toRequest`, for the paths of files: the request of a path without "/" at its start, decoded as file servers do it. */
  parseKey?(key: string): Request | undefined;
  /** The texts in the path of a file. */
  readonly inPath?: Readonly<Record<string, Pick<Parameter, "description" | "schema">>>;
  /** The methods that it allows; those of most paths if absent. */
  readonly methods?: string;
  /** False if no release pins it. */
  readonly isPinned?: boolean;
  /** The canonical URL of a request; as sent if absent. Parsing it gives the same request. */
  href?(request: Request): string;
  /** The key of the file in a bucket that may answer a request: its path below the public folder, without the ending of stored pages. */
  keyOf?(request: Request): string | undefined;
  /** What that file is; a page if absent. */
  readonly file?: "page" | "part" | "changes" | "site";
  /** False for what caches at the edge cannot keep, or must not. */
  readonly isCached?: boolean;
  /** Absent for paths that are no part of the API. */
  readonly answer?: AnswerMeaning;
  /** Its errors, other than those of every operation. */
  readonly errors?: readonly ErrorCode[];
};

/** The headers of answers from a release that clients may already have. */
export const found = ["X-Release", "ETag", "Vary"] as const;

/** The errors of operations that may search the index. */
export const searchErrors: readonly ErrorCode[] = ["rate_limited", "overloaded", "timeout", "not_ready"];

/** What is needed of an operation to parse a query. */
type Queried<Request extends { readonly kind: string }> = Pick<
  Operation<Request>,
  "parameters" | "own" | "required" | "isLenient" | "toRequest"
> & { readonly path?: string };

/**
 * The request of a query.
 * @param draft with the value of the path
 * @param pathProblems those of the path
 */
export function parseQuery<Request extends { readonly kind: string }>(
  operation: Queried<Request>,
  query: string,
  draft: Draft = {},
  pathProblems: readonly Problem[] = [],
): Request | Refused | undefined {
  const { path = "", parameters = [], own, required } = operation;
  const [, key] = /\{(\w+)\}/.exec(path) ?? [];
  const known = parameters.filter((name) => name !== key);
  const problems = [...pathProblems];
  const given = readQuery(query);
  for (const [name, values] of given) {
    if (problems.length === problemsMax) break;
    if (operation.isLenient && isIgnored(known, name, values)) continue;
    const fault = readParameter(known, name, values, draft, own);
    if (fault !== undefined) problems.push({ parameter: shown(name), ...fault });
  }
  problems.push(...findConflicts(draft, own === groupParameters));
  if (required !== undefined && !given.has(required.name)) problems.push(missing(required));
  const request = operation.toRequest?.(withoutNeedlessMatch(draft));
  if (request !== undefined && "problems" in request) problems.push(...request.problems);
  return problems.length === 0 ? request : { kind: "refused", problems: problems.slice(0, problemsMax) };
}

/** The problem that a parameter is not given. */
export function missing({ name, rule }: { readonly name: string; readonly rule: string }): Problem {
  return { parameter: name, code: "blank", message: `${name} must be given: ${rule}` };
}

function isIgnored(known: readonly string[], name: string, values: readonly (string | NotUtf8)[]): boolean {
  return !known.includes(name) || values.every((value) => typeof value === "string" && value.trim() === "");
}
