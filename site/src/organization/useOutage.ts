// Finds out whether a page has nothing to show because neither its summary nor its grants are available.
import { useRef } from "preact/hooks";
import type { Failure } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";

/** Failures that concern one call, or that the parts of the page explain themselves. */
const ownCodes: readonly string[] = ["funder_not_found", "recipient_not_found", "release_not_found"];

/** The failure to show in place of the page; it stays while both calls are repeated. */
export function useOutage(
  summary: Progress<unknown>,
  grants: Progress<unknown>,
): Progress<unknown> | undefined {
  const last = useRef<Failure>(undefined);
  if (summary.found !== undefined || grants.found !== undefined) last.current = undefined;
  else if (isOutage(summary.failure) && isOutage(grants.failure)) last.current = grants.failure;
  if (last.current === undefined) return undefined;
  const retry = () => {
    summary.retry();
    grants.retry();
  };
  return { ...grants, failure: last.current, retry };
}

function isOutage(failure: Failure | undefined): boolean {
  return failure !== undefined && !ownCodes.includes(failure.code);
}
