// Follows the two calls of an organization's page, and how the reader moves between the rows of its table.
import { useRef } from "preact/hooks";
import type { Address } from "../address/useAddress.ts";
import { useSteps } from "../address/useSteps.ts";
import type { Call } from "../api/calls.ts";
import type { Failure, GrantsPage } from "../api/client.ts";
import { findCurrent, type Progress } from "../api/useCall.ts";

/** The `id` of the heading of the table. */
export const headingId = "grants";

/** The table's call. */
export type Rows = {
  readonly grants: Progress<GrantsPage>;
  /** Goes to a query of the page; without `isStep` the focus stays. */
  readonly go: (search: string, isStep: boolean) => void;
  /** Leaves a release that is no longer kept. */
  readonly onUnpin: () => void;
};

type PageState = {
  /** True once the page can be drawn. */
  readonly isReady: boolean;
  /** The failure that keeps the page empty; undefined if there is something to show. */
  readonly outage: Progress<unknown> | undefined;
  readonly rows: Rows;
};

/**
 * The state of a page that shows a summary and a table of grants. Links within the page lead to the table's heading.
 * @param isNamed whether the organization's name is known, or that there is none
 * @param call the call of the table; undefined if the address is not one that it could show
 */
export function usePageState(
  address: Address,
  isNamed: boolean,
  summary: Progress<unknown>,
  grants: Progress<GrantsPage>,
  call: Call<GrantsPage> | undefined,
): PageState {
  const isReady = useSettled(isNamed, summary, grants);
  const outage = useOutage(summary, grants);
  const isSummarized = summary.found !== undefined || summary.failure !== undefined;
  const isWhole = isReady && isSummarized && findCurrent(grants, call) !== undefined;
  const repeat = () => {
    summary.retry();
    grants.retry();
  };
  const go = useSteps(address, headingId, isWhole, repeat);
  return { isReady, outage, rows: { grants, go, onUnpin: () => go(address.search, true) } };
}

/**
 * True once the page can be drawn; it stays true while other answers are awaited.
 * @param isNamed whether the name is known, or that there is none: the name decides the number of lines
 * @param calls are awaited up to 150 ms: their places can be kept
 */
export function useSettled(isNamed: boolean, ...calls: readonly Progress<unknown>[]): boolean {
  const isSettled = useRef(false);
  const isLate = calls.some(({ state }) => state === "slow"); // waiting for the name ends after 1.5 s
  if ((isNamed || isLate) && calls.every(({ state }) => state !== "asking")) isSettled.current = true;
  return isSettled.current;
}

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
