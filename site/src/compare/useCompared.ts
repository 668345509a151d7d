// Loads the data to compare of one funder: its summary, and its newest grants in pages of 1,000.
import { useEffect, useState } from "preact/hooks";
import { type Call, funderHistoryCall, funderSummaryCall, searchCall } from "../api/calls.ts";
import type { Failure, Grant, HistoryPage } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import type { Compared } from "./compared.ts";

const pageSize = 1_000;

/** Maximum grants read per funder, so that a large one doesn't fill the browser. */
const grantsRead = 5_000;

export type Slot = {
  readonly ein: string;
  readonly compared: Compared | undefined;
  /** The release that answered; undefined until all has arrived. */
  readonly release: string | undefined;
  readonly failure: Failure | undefined;
  readonly retry: () => void;
};

/** True once there is something to show in the slot. */
export function isSettled({ compared, failure }: Slot): boolean {
  return compared !== undefined || failure !== undefined;
}

/** A slot of the page; undefined if it is empty. Slots are called one by one, so their number is fixed. */
export function useCompared(ein: string | undefined, year: number | undefined): Slot | undefined {
  const summary = useCall(ein === undefined ? undefined : funderSummaryCall(ein));
  const list = useGrants(ein, year);
  if (ein === undefined) return undefined;
  const data = summary.found?.body.data;
  const compared =
    data?.funder_ein === ein && list.grants !== undefined
      ? { ein, summary: data, grants: list.grants, total: list.total }
      : undefined;
  const retry = () => {
    summary.retry();
    list.retry();
  };
  const release = summary.found?.release === list.release ? list.release : undefined;
  return { ein, compared, release, failure: summary.failure ?? list.failure, retry };
}

/** The call for a page of a funder's grants, of one year or of all. */
export function grantsCall(ein: string, year: number | undefined, offset: number): Call<HistoryPage> {
  const window = { limit: String(pageSize), ...(offset === 0 ? {} : { offset: String(offset) }) };
  return year === undefined
    ? funderHistoryCall(ein, window)
    : searchCall({ funder_ein: ein, transaction_year: String(year), ...window });
}

type List = {
  readonly key: string;
  readonly grants: readonly Grant[] | undefined;
  readonly total: number;
  readonly release: string | undefined;
  readonly failure: Failure | undefined;
};

const noList = { grants: undefined, total: 0, release: undefined } as const;

/** The newest grants of a funder, once all of their pages have arrived; all from one release. */
function useGrants(ein: string | undefined, year: number | undefined) {
  const [round, setRound] = useState(0);
  const key = `${ein} ${year} ${round}`;
  const [list, setList] = useState<List>();
  useEffect(() => {
    if (ein === undefined) return undefined;
    const controller = new AbortController();
    loadGrants(ein, year, controller.signal).then(
      (loaded) => setList({ key, ...loaded }),
      () => undefined, // aborted
    );
    return () => controller.abort();
  }, [ein, year, key]);
  const present = list?.key === key ? list : { ...noList, failure: undefined };
  return { ...present, retry: () => setRound(round + 1) };
}

async function loadGrants(
  ein: string,
  year: number | undefined,
  signal: AbortSignal,
): Promise<Omit<List, "key">> {
  const grants: Grant[] = [];
  let total = 1;
  let pinned: string | undefined;
  for (let offset = 0; offset < Math.min(total, grantsRead); offset += pageSize) {
    const answer = await grantsCall(ein, year, offset).ask(signal, pinned);
    if (!answer.isFound) return { ...noList, failure: answer.failure };
    grants.push(...answer.body.data);
    total = answer.body.total;
    pinned = answer.release;
  }
  return { grants, total, release: pinned, failure: undefined };
}
