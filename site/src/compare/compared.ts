// Loads the funders that are compared, computes their comparison, and puts it in words.
import { funderSummaryCall, funderTotalsCall, sharedRecipientsCall } from "../api/calls.ts";
import type { Failure, FunderSummary, SharedRecipients, Totals } from "../api/client.ts";
import { findCurrent, type Progress, useCall } from "../api/useCall.ts";
import type { SizeBand } from "../text/sizes.ts";
import { isAll, queryOf, type Years } from "./selection.ts";

/** Maximum rows shown: more would make the page slow. The CSV file has all. */
export const shownAtMost = 500;

/** What is compared of the grants of the chosen years. */
export type ComparedTotals = Pick<Totals, "records" | "amount" | "non_cash" | "years" | "sizes">;

export type Slot = {
  readonly ein: string;
  /** Undefined until it has arrived. */
  readonly summary: FunderSummary | undefined;
  /** Of the chosen years; undefined until they have arrived. */
  readonly totals: ComparedTotals | undefined;
  readonly release: string | undefined;
  readonly failure: Failure | undefined;
  readonly retry: () => void;
};

/** True once there is something to show in the slot. */
export function isSettled({ totals, failure }: Slot): boolean {
  return totals !== undefined || failure !== undefined;
}

/** A slot of the page; undefined if it is empty. Slots are called one by one, so their number is fixed. */
export function useSlot(ein: string | undefined, years: Years): Slot | undefined {
  const whole = useCall(ein === undefined ? undefined : funderSummaryCall(ein));
  const data = whole.found?.body.data;
  const summary = data?.funder_ein === ein ? data : undefined;
  // After the summary: a server refuses a reader who asks for everything at once.
  const call =
    summary === undefined || isAll(years) ? undefined : funderTotalsCall(summary.funder_ein, queryOf(years));
  const some = useCall(call);
  if (ein === undefined) return undefined;
  const totals = summary && (call === undefined ? summary : findCurrent(some, call)?.data);
  const release = whole.found?.release;
  const isOneRelease = call === undefined || some.found?.release === release;
  return {
    ein,
    summary,
    totals,
    release: totals && isOneRelease ? release : undefined,
    failure: whole.failure ?? some.failure,
    retry() {
      whole.retry();
      some.retry();
    },
  };
}

/** What the funders share in the chosen years. */
export function useShared(eins: readonly string[], years: Years): Progress<SharedRecipients> {
  return useCall(eins.length > 1 ? sharedCall(eins, years) : undefined);
}

/** The call of the shared recipients that are shown. */
export function sharedCall(eins: readonly string[], years: Years) {
  return sharedRecipientsCall(eins, { ...queryOf(years), limit: shownAtMost });
}

/** A funder with grants. */
export type Compared = {
  readonly ein: string;
  readonly summary: FunderSummary;
  readonly totals: ComparedTotals;
};

/** A size band with its share of a funder's grants. */
export type BandShare = {
  readonly from: number | null;
  readonly below: number | null;
  readonly share: number;
};

/** The bands with their shares of all grants. Negative amounts count in the smallest, so that all funders have the same bands. */
export function shareOfBands(bands: readonly SizeBand[]): BandShare[] {
  const all = bands.reduce((sum, { records }) => sum + records, 0);
  const negative = bands.find(({ below }) => below === 0)?.records ?? 0;
  return bands
    .filter(({ below }) => below !== 0)
    .map(({ from, below, records }) => ({
      from,
      below,
      share: all === 0 ? 0 : (records + (from === 0 ? negative : 0)) / all,
    }));
}

/** The years in which every funder has grants, oldest first. */
export function yearsInCommon(summaries: readonly FunderSummary[]): number[] {
  const [first, ...others] = summaries.map(
    ({ years }) => new Set(years.map(({ transaction_year }) => transaction_year)),
  );
  return [...(first ?? [])].filter((year) => others.every((years) => years.has(year))).sort((a, b) => a - b);
}

/** "7 of 9, 2010–2018" or "2018 only": the years with grants among those from the first to the last. */
export function formatCovered(years: readonly number[]): string {
  const [first, last] = [Math.min(...years), Math.max(...years)];
  if (years.length === 0) return "none";
  if (first === last) return `${first} only`;
  return `${years.length} of ${last - first + 1}, ${first}–${last}`;
}

/** The funders' common years, and the consequence for the comparison. @param common oldest first */
export function formatCommon(common: readonly number[], funders: number): string {
  const all = funders === 2 ? "both" : `all ${["", "", "", "three", "four"][funders] ?? funders}`;
  const [first] = common;
  if (first === undefined)
    return `There is no year in which ${all} have grants, so their totals aren’t comparable.`;
  if (common.length === 1)
    return `${first} is the only year ${all} have grants in. Totals of different years aren’t comparable.`;
  return `${capital(all)} have grants in ${formatYearList(common)}. Totals of different years aren’t comparable.`;
}

/** "2016 to 2018", "2014, 2016 to 2018": runs of years are joined. @param years oldest first */
export function formatYearList(years: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const year of years) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === year - 1) run[1] = year;
    else runs.push([year, year]);
  }
  const words = runs.map(([first, last]) =>
    first === last ? String(first) : last === first + 1 ? `${first}, ${last}` : `${first} to ${last}`,
  );
  return words.join(", ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The newest run of common years; undefined without one. @param common oldest first */
export function lastRun(common: readonly number[]): Years | undefined {
  const max = common.at(-1);
  if (max === undefined) return undefined;
  const isInRun = (year: number, index: number) => max - year === common.length - 1 - index;
  return { min: common.find(isInRun), max };
}
