// Repeats requests to a bucket that failed for a passing reason, with growing random pauses.
import { setTimeout as wait } from "node:timers/promises";
import { systemCode } from "../../../api-static/release/systemErrors.ts";

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
export function isPassing(error: unknown): boolean {
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
