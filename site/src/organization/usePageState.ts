// Follows the two calls of an organization's page, and how the reader moves between the rows of its table.
import type { Ref } from "preact";
import type { Address } from "../address/useAddress.ts";
import { useLinks } from "../address/useLinks.ts";
import type { HistoryPage } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import { useOutage } from "./useOutage.ts";
import { useReturn } from "./useReturn.ts";
import { useSettled } from "./useSettled.ts";

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
