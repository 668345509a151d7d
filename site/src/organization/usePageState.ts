// Follows the two calls of an organization's page, and how the reader moves between the rows of its table.
import type { Ref } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Address } from "../address/useAddress.ts";
import { useLinks } from "../address/useLinks.ts";
import type { Failure, HistoryPage } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";

/** The table's call, and the handlers of its links. */
export type Rows = {
  readonly grants: Progress<HistoryPage>;
  readonly heading: Ref<HTMLHeadingElement>;
  /** Goes to other rows of the same release. @param search the query of their address */
  readonly onPage: (search: string) => void;
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
 */
export function usePageState(
  address: Address,
  isNamed: boolean,
  summary: Progress<unknown>,
  grants: Progress<HistoryPage>,
): PageState {
  const isReady = useSettled(isNamed, summary, grants);
  const outage = useOutage(summary, grants);
  const isSummarized = summary.found !== undefined || summary.failure !== undefined;
  const isWhole = isReady && grants.state === "found" && isSummarized;
  const { heading, showRows } = useReturn(address, isWhole ? grants.found?.href : undefined);
  const go = (search: string, release?: string) => {
    showRows();
    address.go(search, release);
  };
  useLinks(go);
  const onPage = (search: string) => go(search, grants.found?.release);
  return { isReady, outage, rows: { grants, heading, onPage, onUnpin: () => address.go(address.search) } };
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

/**
 * Waits for the rows of an address.
 * @param shown names the rows that are shown; undefined while they are awaited
 * @returns the reference of the heading, and a function to call before moving to rows
 */
export function useReturn(address: Address, shown: string | undefined) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isWanted = useRef(false);
  const restored = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (shown === undefined) return;
    if (address.isReturn && restored.current !== address.search) {
      restored.current = address.search;
      address.restore();
    } else if (isWanted.current) {
      heading.current?.focus();
      heading.current?.scrollIntoView();
    }
    isWanted.current = false;
    if (!address.isReturn) restored.current = undefined;
  }, [shown, address.search, address.isReturn]);
  return {
    heading,
    showRows: () => {
      isWanted.current = true;
    },
  };
}
