// Asks the API: one form of answer for every success and failure. The types of answers are those of the OpenAPI document's schemas.

import type { GrantRecord } from "../../../api-static/contract/answers/record.ts";
import type { ValueOf } from "../../../api-static/contract/answers/schema.ts";
import type { ErrorCode, Problem } from "../../../api-static/contract/errors.ts";
import type { JsonPath as Path, SchemaOf } from "../../../api-static/openapi/schemas.ts";

type ErrorBody = { code: ErrorCode; error?: string; details?: readonly Problem[] };

export type { Path };

/** The type of an operation's answer, from its schema in the OpenAPI document. */
export type Body<Of extends Path> = ValueOf<SchemaOf<Of>, { Grant: GrantRecord }>;

export type Grant = GrantRecord;
export type GrantWithSource = Body<"/v1/grants/{id}">;
export type HistoryPage = Body<"/v1/history">;
type RecipientPage = Body<"/v1/recipients/{recipient_ein}/history">;
/** A likely recipient of a grant. */
export type Match = RecipientPage["matches"][number];
/** A page of grants, with what is known of the likely ones if they were asked for. */
export type GrantsPage = HistoryPage & Partial<Pick<RecipientPage, "matches">>;
export type Totals = Body<"/v1/history/summary">["data"];
export type GroupsPage = Body<"/v1/history/groups">;
export type FunderSummary = Body<"/v1/funders/{funder_ein}/summary">["data"];
export type RecipientSummary = Body<"/v1/recipients/{recipient_ein}/summary">["data"];
export type SharedRecipients = Body<"/v1/recipients/shared">;
export type FunderPeers = Body<"/v1/funders/{funder_ein}/peers">["data"];
export type LikelyFunders = Body<"/v1/recipients/{recipient_ein}/likely-funders">;
export type RecipientPeers = Body<"/v1/recipients/{recipient_ein}/peers">["data"];
/** The names of organizations. */
export type NamesList = Body<"/v1/names">;
/** An organization with its finances and mission. */
export type Organization = Body<"/v1/organizations/{ein}">["data"];
/** An organization that was found by its name. */
export type FoundOrganization = WithOptional<Body<"/v1/organizations">["data"][number], "also">;
type WithOptional<Whole, Key extends keyof Whole> = Omit<Whole, Key> & Partial<Pick<Whole, Key>>;
export type Status = Body<"/v1/status">;
export type Report = Body<"/v1/report">;

/** Why there is no answer: the API's codes, and two of the browser's. */
export type FailureCode =
  | ErrorCode
  /** The browser has no network. */
  | "offline"
  /** The browser has a network, but the server does not answer. */
  | "unreachable"
  /** The response is not the API's: a static host without our server. */
  | "static_host";

export type Failure = {
  readonly code: FailureCode;
  readonly message: string;
  readonly problems: readonly Problem[];
  /** Seconds to wait before a retry, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** The id under which the server logged the request. */
  readonly requestId: string | undefined;
};

export type Answer<Body> =
  | {
      readonly isFound: true;
      readonly body: Body;
      readonly release: string | undefined;
      readonly receivedAt: Date;
    }
  | { readonly isFound: false; readonly failure: Failure };

/** The release that the page's address pins, e.g., "/r/20261120T040000Z/funder?ein=131635294". */
export const pinnedRelease = /^\/r\/([^/]+)\//.exec(globalThis.location?.pathname ?? "")?.[1];

/**
 * Asks for a URL, in the pinned release if there is one. Rejects only for aborts.
 * @param path path and query, e.g., "/v1/history?purpose=food"
 * @throws DOMException "AbortError" if the caller stopped the call
 */
export async function ask<Found>(path: string, signal?: AbortSignal): Promise<Answer<Found>> {
  let response: Response;
  let text: string;
  try {
    const at = pinnedRelease === undefined || path.startsWith("/r/") ? path : `/r/${pinnedRelease}${path}`;
    response = await fetch(at, signal === undefined ? {} : { signal });
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    return { isFound: false, failure: failureOf(navigator.onLine ? "unreachable" : "offline") };
  }
  const body = parse(text);
  const release = response.headers.get("X-Release") ?? undefined;
  if (response.ok && isObject(body) && body.success === true)
    return { isFound: true, body: body as Found, release, receivedAt: new Date() };
  return { isFound: false, failure: toFailure(body, response) };
}

/** The answer of a host that has neither a server nor a file for the request. */
export const staticHost = { isFound: false, failure: failureOf("static_host") } as const;

/** The value of a JSON text; undefined if it is not JSON, e.g., a page of HTML. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function toFailure(body: unknown, { status, headers }: Response): Failure {
  if (!isObject(body) || !("code" in body)) return failureOf(status >= 500 ? "internal" : "static_host"); // a proxy without a server answers 502 in HTML
  const { code, error: message = "", details = [] } = body as ErrorBody;
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return {
    code,
    message,
    problems: details,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    requestId: headers.get("X-Request-Id") ?? undefined,
  };
}

function failureOf(code: FailureCode): Failure {
  return { code, message: "", problems: [], retryAfter: undefined, requestId: undefined };
}
