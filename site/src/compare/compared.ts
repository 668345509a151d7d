// Loads the funders that are compared, computes their comparison, and puts it in words.
import { funderSummaryCall, sharedRecipientsCall } from "../api/calls.ts";
import type { Failure, FunderSummary, SharedRecipients } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import type { SizeBand } from "../organization/sizes.ts";

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

/** A funder with grants. */
export type Compared = {
  readonly ein: string;
  readonly summary: FunderSummary;
  /** The size bands of its grants, of the chosen year if there is one; undefined if they could not be read. */
  readonly sizes: readonly SizeBand[] | undefined;
};

/** Dollars and number of grants. */
export type Sum = { readonly amount: number; readonly records: number };

/** A size band with its share of a funder's grants. */
export type BandShare = {
  readonly from: number | null;
  readonly below: number | null;
  readonly share: number;
};

/** A funder's totals, of one year or of all; undefined if the data have no grants of the year, which need not mean that it gave none. */
export function sumOf(summary: FunderSummary, year: number | undefined): Sum | undefined {
  if (year === undefined) return summary;
  return summary.years.find(({ transaction_year }) => transaction_year === year);
}

/** The grants of a funder that another filing lists too, of one year or of all. */
export function repeatedOf({ repeated }: FunderSummary, year: number | undefined): Sum {
  if (year === undefined) return repeated;
  return (
    repeated.years.find(({ transaction_year }) => transaction_year === year) ?? { amount: 0, records: 0 }
  );
}

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
