// Loads what is compared: the summary of each funder, and what they share in the chosen year or in all.
import { funderSummaryCall, sharedRecipientsCall } from "../api/calls.ts";
import type { Failure, FunderSummary, SharedRecipients } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";

/** Maximum rows shown: more would make the page slow. The CSV file has all. */
export const shownAtMost = 500;

export type Slot = {
  readonly ein: string;
  /** Undefined until it has arrived. */
  readonly summary: FunderSummary | undefined;
  readonly release: string | undefined;
  readonly failure: Failure | undefined;
  readonly retry: () => void;
};

/** True once there is something to show in the slot. */
export function isSettled({ summary, failure }: Slot): boolean {
  return summary !== undefined || failure !== undefined;
}

/** A slot of the page; undefined if it is empty. Slots are called one by one, so their number is fixed. */
export function useSlot(ein: string | undefined): Slot | undefined {
  const { found, failure, retry } = useCall(ein === undefined ? undefined : funderSummaryCall(ein));
  if (ein === undefined) return undefined;
  const data = found?.body.data;
  const summary = data?.funder_ein === ein ? data : undefined;
  return { ein, summary, release: summary && found?.release, failure, retry };
}

/** What the funders share. One funder alone has only the sizes of a year. */
export function useShared(eins: readonly string[], year: number | undefined): Progress<SharedRecipients> {
  const isAsked = eins.length > 1 || (eins.length === 1 && year !== undefined);
  return useCall(isAsked ? sharedRecipientsCall(eins, year, { limit: shownAtMost }) : undefined);
}
