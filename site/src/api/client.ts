// Asks the API: one typed call, one form of answer for every success and failure.
import createClient from "openapi-fetch";
import type { ErrorCode, Problem } from "../../../api-static/contract/errors.ts";
import type { components, paths } from "./openapi.d.ts";

type Schemas = components["schemas"];
export type Grant = Schemas["Grant"];
export type HistoryPage = Schemas["HistoryPage"];
export type FunderSummary = Schemas["FunderSummary"]["data"];
export type RecipientSummary = Schemas["RecipientSummary"]["data"];
export type FunderPeers = Schemas["FunderPeers"]["data"];
export type RecipientPeers = Schemas["RecipientPeers"]["data"];
export type Organization = Schemas["Organization"]["data"];
export type Status = Schemas["Status"];
export type Report = Schemas["Report"];

/** Why there is no answer: the API's codes, and two of the browser's. */
export type FailureCode =
  | ErrorCode
  /** The network did not answer. */
  | "offline"
  /** What answered is not the API: a static host without our server. */
  | "static_host";

export type Failure = {
  readonly code: FailureCode;
  readonly message: string;
  readonly problems: readonly Problem[];
  /** Seconds after which to try again, if the server says so. */
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

const client = createClient<paths>({ baseUrl: "/", fetch: (request: Request) => fetch(request) });

/** The typed client; its results go through `toAnswer`. Paths of a pinned release start with `/r/{release}`. */
export const get = client.GET;

/** What `get` resolves to. */
type Result<Body> = { data?: Body; error?: unknown; response: Response };

/**
 * The answer of a call. Never rejects but for aborts.
 * @throws DOMException "AbortError" if the caller stopped the call
 */
export async function toAnswer<Body>(call: Promise<Result<Body>>): Promise<Answer<Body>> {
  let result: Result<Body>;
  try {
    result = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    const code = error instanceof SyntaxError ? "static_host" : "offline"; // a page of HTML is not JSON
    return { isFound: false, failure: failureOf(code) };
  }
  const { data, error, response } = result;
  const release = response.headers.get("X-Release") ?? undefined;
  if (data !== undefined && isSuccess(data))
    return { isFound: true, body: data, release, receivedAt: new Date() };
  return { isFound: false, failure: toFailure(error, response) };
}

/** The answer if no server answers here, and no file has what was asked for. */
export const staticHost = { isFound: false, failure: failureOf("static_host") } as const;

/** The bodies of all answers of the API say that they are one. */
function isSuccess(body: unknown): boolean {
  return typeof body === "object" && body !== null && "success" in body && body.success === true;
}

function toFailure(error: unknown, { status, headers }: Response): Failure {
  if (typeof error !== "object" || error === null || !("code" in error))
    return failureOf(status >= 500 ? "internal" : "static_host"); // a proxy whose server does not answer says 502 in HTML
  const { code, error: message = "", details = [] } = error as Schemas["Error"];
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
