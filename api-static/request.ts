// Owns the reading of a request: URL → what is asked. Total: whatever the URL, it answers and never throws.
import { type Ein, parseEin } from "./ein.ts";
import type { Problem } from "./errors.ts";
import * as limits from "./limits.ts";
import { canonicalText } from "./text.ts";

/** What grants must meet; absent means any. A null field never meets a filter. */
export type Filters = {
  readonly funderEin?: Ein;
  readonly recipientEin?: Ein;
  readonly transactionYear?: number;
  /** Canonical text that the purpose contains. */
  readonly purpose?: string;
  /** Canonical text that the recipient's name contains. */
  readonly recipientName?: string;
  /** Least amount, inclusive, in cents. */
  readonly minAmountCents?: bigint;
};

/** A page of grants: the records `offset` to `offset + limit` of those that meet the filters, in the contract's order. */
export type HistoryRequest = {
  readonly kind: "history";
  /** "funder" has the funder in its path and answers 404 for one without records. */
  readonly scope: "search" | "funder";
  readonly filters: Filters;
  readonly limit: number;
  readonly offset: number;
};

export type Asked =
  | HistoryRequest
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown" };

type Draft = { -readonly [Key in keyof Filters]: Filters[Key] } & { limit?: number; offset?: number };

/** Reads one parameter's value into the draft; returns what is wrong with it, if anything. */
type Reader = (value: string, draft: Draft) => Omit<Problem, "parameter"> | undefined;

/** The parameters of both operations in the order of canonical URLs. */
const readers: Readonly<Record<string, Reader>> = {
  funder_ein: (value, draft) =>
    readEin("funder_ein", value, (ein) => Object.assign(draft, { funderEin: ein })),
  recipient_ein: (value, draft) =>
    readEin("recipient_ein", value, (ein) => Object.assign(draft, { recipientEin: ein })),
  transaction_year: (value, draft) => {
    if (!/^\d{4}$/.test(value)) return malformed("transaction_year must be a year of four digits", value);
    draft.transactionYear = Number(value);
    return undefined;
  },
  purpose: (value, draft) => readText("purpose", value, (text) => Object.assign(draft, { purpose: text })),
  recipient_name: (value, draft) =>
    readText("recipient_name", value, (text) => Object.assign(draft, { recipientName: text })),
  min_amount: (value, draft) => {
    const cents = parseCents(value);
    if (cents === undefined)
      return malformed("min_amount must be a decimal number with at most two decimals", value);
    draft.minAmountCents = cents;
    return undefined;
  },
  limit: (value, draft) => readInteger("limit", 1, limits.pageSizeMax, value, draft),
  offset: (value, draft) => readInteger("offset", 0, limits.offsetMax, value, draft),
};

export const parameterNames: readonly string[] = Object.keys(readers);

const funderPath = /^\/v1\/funders\/([^/]*)\/history$/;

/**
 * What a URL asks.
 * @param pathname as in a URL, percent-encoded, e.g., "/v1/funders/131635294/history"
 * @param query with or without the leading "?", e.g., "?limit=100&offset=200"
 */
export function parseRequest(pathname: string, query: string): Asked {
  if (pathname === "/v1/history") return parseHistory("search", {}, [], query);
  const segment = funderPath.exec(pathname)?.[1];
  if (segment === undefined) return { kind: "unknown" };

  const text = decodeSegment(segment);
  const funderEin = parseEin(text);
  if (funderEin === undefined) {
    const problem = malformed("funder_ein in the path must be nine digits", text);
    return parseHistory("funder", {}, [{ parameter: "funder_ein", ...problem }], query);
  }
  if (text !== funderEin) {
    const search = query === "" || query.startsWith("?") ? query : `?${query}`;
    return { kind: "redirect", location: `/v1/funders/${funderEin}/history${search}` };
  }
  return parseHistory("funder", { funderEin }, [], query);
}

function parseHistory(
  scope: HistoryRequest["scope"],
  path: Draft,
  pathProblems: Problem[],
  query: string,
): Asked {
  const draft: Draft = { ...path };
  const problems = [...pathProblems];
  const parameters = new URLSearchParams(query);
  const names = [...new Set(parameters.keys())];
  for (const name of names) {
    const problem = readParameter(scope, name, parameters.getAll(name), draft);
    if (problem !== undefined) problems.push({ parameter: shown(name), ...problem });
  }
  if (problems.length > 0) return { kind: "refused", problems: problems.slice(0, limits.problemsMax) };
  const { limit = limits.pageSizeDefault, offset = 0, ...filters } = draft;
  return { kind: "history", scope, filters, limit, offset };
}

function readParameter(
  scope: HistoryRequest["scope"],
  name: string,
  values: readonly string[],
  draft: Draft,
): Omit<Problem, "parameter"> | undefined {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader === undefined || (scope === "funder" && name === "funder_ein")) {
    const known = parameterNames.filter((known) => scope === "search" || known !== "funder_ein");
    return {
      code: "unknown",
      message: `${shown(name)} is not a parameter here; known are ${known.join(", ")}`,
    };
  }
  const [value, ...more] = values;
  if (value === undefined || more.length > 0)
    return { code: "repeated", message: `${name} must be given once, got ${values.length} values` };
  if (value.trim() === "")
    return { code: "blank", message: `${name} must not be blank; leave it away instead` };
  return reader(value, draft);
}

function readEin(
  name: string,
  value: string,
  keep: (ein: Ein) => void,
): Omit<Problem, "parameter"> | undefined {
  const ein = parseEin(value);
  if (ein === undefined) return malformed(`${name} must be nine digits`, value);
  keep(ein);
  return undefined;
}

function readText(
  name: string,
  value: string,
  keep: (text: string) => void,
): Omit<Problem, "parameter"> | undefined {
  const text = canonicalText(value);
  const length = [...text].length;
  if (length > limits.textLengthMax)
    return {
      code: "out_of_range",
      message: `${name} must be 1 to ${limits.textLengthMax} characters long, got ${length}`,
    };
  keep(text);
  return undefined;
}

function readInteger(
  name: "limit" | "offset",
  least: number,
  most: number,
  value: string,
  draft: Draft,
): Omit<Problem, "parameter"> | undefined {
  const rule = `${name} must be an integer from ${least} to ${most}`;
  if (!/^-?\d+$/.test(value)) return malformed(rule, value);
  const number = Number(value);
  if (number < least || number > most)
    return { code: "out_of_range", message: `${rule}, got "${shown(value)}"` };
  draft[name] = number === 0 ? 0 : number; // "-0" is 0
  return undefined;
}

/** Cents of a decimal such as "-1234.5"; bounds beyond any amount become the furthest bound; undefined if not a decimal. */
function parseCents(text: string): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = ""] = match;
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"));
  const bounded = cents > limits.amountCentsMax ? limits.amountCentsMax : cents;
  return sign === "-" ? -bounded : bounded;
}

function malformed(rule: string, value: string): Omit<Problem, "parameter"> {
  return { code: "malformed", message: `${rule}, got "${shown(value)}"` };
}

function shown(value: string): string {
  const letters = [...value];
  return letters.length <= limits.valueShownMax
    ? value
    : `${letters.slice(0, limits.valueShownMax).join("")}…`;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a stray "%": not an EIN either way
  }
}
