// Repeats requests to a bucket that failed for a passing reason, and explains failures that a person can fix.
import { setTimeout as wait } from "node:timers/promises";
import { systemCode } from "../../../api-static/release/systemErrors.ts";
import { InputError } from "../failure.ts";

/** Attempts of one request. With the pauses below, a store may be down for about ten seconds. */
const maxAttempts = 9;

/** The longest pause before the second attempt, in milliseconds; it doubles with each attempt up to the second bound. */
const pauses = { first: 100, last: 10_000 };

const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

const passingNames: ReadonlySet<string> = new Set([
  "BadDigest",
  "IncompleteBody",
  "OperationAborted",
  "ConditionalRequestConflict",
  "RequestTimeout",
  "SlowDown",
  "TimeoutError",
  "TruncatedBody",
]);

const passingCodes: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
]);

/** A response whose body ended before its announced length, or does not have its expected digest. */
export class TruncatedBody extends Error {
  override readonly name = "TruncatedBody";
}

/** How pauses are made. */
export type Pauses = {
  /** A random number from 0 to 1. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
};

export const usualPauses: Pauses = { random: Math.random, sleep: wait };

/**
 * Runs a request until it succeeds or fails for good. Pauses are random from zero up to a bound that doubles, so that many
 * clients that a store refused do not return at the same moment.
 */
export async function retry<Result>(pausing: Pauses, request: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (attempt === maxAttempts || !isPassing(error)) throw error;
      const bound = Math.min(pauses.last, pauses.first * 2 ** (attempt - 1));
      await pausing.sleep(pausing.random() * bound);
    }
  }
}

/** True if the same request may succeed a moment later. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || "exitCode" in error) return false; // failures of ours are final
  return (
    passingNames.has(error.name) ||
    passingStatuses.has(statusOf(error) ?? 0) ||
    passingCodes.has(systemCode(error) ?? "") ||
    /socket hang up|aborted/i.test(error.message)
  );
}

/** The status of the response that an error of the client reports. */
export function statusOf(error: unknown): number | undefined {
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

/** What is wrong when a store answers with an error of this name. */
const explanations: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket. Create it, or correct the address",
  AccessDenied: "access is denied. Let these credentials list, read, write and delete objects there",
  InvalidAccessKeyId: "the store does not know the access key. Set AWS_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "the secret key is wrong. Set AWS_SECRET_ACCESS_KEY",
  ExpiredToken: "the credentials have expired. Renew them",
  CredentialsProviderError:
    "there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile or a role",
  PermanentRedirect: "the bucket is in another region. Set AWS_REGION",
  AuthorizationHeaderMalformed: "the region is wrong. Set AWS_REGION",
};

/** Statuses with a meaning for callers: there is no such object, or it changed. */
const answers: ReadonlySet<number | undefined> = new Set([404, 409, 412]);

/**
 * The error to report when a request to a bucket failed: an InputError if a person can fix it, otherwise the error itself.
 * @param address of the object
 */
export function explainFailure(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || "exitCode" in error) return error;
  const status = statusOf(error);
  const explain = (what: string) =>
    new InputError(`${address}: ${what}. (${describe(error, status)})`, { cause: error });
  const known = Object.hasOwn(explanations, error.name) ? explanations[error.name] : undefined;
  if (known !== undefined) return explain(known);
  if (/region is missing/i.test(error.message)) return explain("there is no region. Set AWS_REGION");
  if (status === 403) return explain(explanations.AccessDenied ?? "");
  const code = systemCode(error);
  if (code === "ENOTFOUND") return explain("the store's host was not found. Check AWS_ENDPOINT_URL_S3");
  if (isPassing(error))
    return explain("the store did not answer, in several attempts. Run the command again later");
  if (status === undefined || answers.has(status)) return error;
  if (status >= 300 && status < 400) return explain(explanations.PermanentRedirect ?? "");
  return explain(
    "the store refused the request. Check AWS_ENDPOINT_URL_S3, AWS_REGION and this machine's clock",
  );
}

/** What a response said: its status, and the store's words if it had any. Many responses, such as those to HEAD, have no body. */
function describe({ name, message }: Error, status: number | undefined): string {
  const words = [name, message].filter((word) => !/^(Error|Unknown|UnknownError|\d+)$/.test(word));
  return status === undefined ? message : [`status ${status}`, ...new Set(words)].join(", ");
}
