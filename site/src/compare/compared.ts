// Computes the comparison of funders: totals of a year, sizes, years in common.
import type { FunderSummary } from "../api/client.ts";
import type { SizeBand } from "../organization/sizes.ts";

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

/** A funder's totals, of one year or of all. */
export function sumOf(summary: FunderSummary, year: number | undefined): Sum {
  if (year === undefined) return summary;
  return summary.years.find(({ transaction_year }) => transaction_year === year) ?? { amount: 0, records: 0 };
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
