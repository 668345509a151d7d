// Computes the comparison of funders: totals of a year, sizes, years in common, shared recipients.
import type { FunderSummary, Grant } from "../api/client.ts";
import type { SizeBand } from "../organization/sizes.ts";

/** A funder, as far as its data have arrived. */
export type Compared = {
  readonly ein: string;
  readonly summary: FunderSummary;
  /** Its newest grants, at most 5,000 of `total`. */
  readonly grants: readonly Grant[];
  /** Number of its grants, of the chosen year if there is one. */
  readonly total: number;
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

/** The size bands of a funder's grants; for one year they are counted from the year's grants. */
export function bandsOf({ summary, grants }: Compared, year: number | undefined): readonly SizeBand[] {
  if (year === undefined) return summary.sizes;
  return summary.sizes.map(({ from, below }) => {
    const amounts = grants
      .map(({ amount }) => amount)
      .filter((amount) => (from === null || amount >= from) && (below === null || amount < below));
    return { from, below, records: amounts.length, amount: amounts.reduce((sum, amount) => sum + amount, 0) };
  });
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

/** A recipient that two or more of the funders fund. */
export type SharedRecipient = {
  readonly ein: string;
  /** The name in most of the grants. */
  readonly name: string | null;
  /** Totals of each funder's grants to it, in the funders' order; undefined if there are none. */
  readonly sums: readonly (Sum | undefined)[];
};

/** The recipients of two or more funders, matched by EIN: most funders first, then the largest sum, then by EIN. */
export function findShared(lists: readonly (readonly Grant[])[]): SharedRecipient[] {
  const found = new Map<string, { sums: (Sum | undefined)[]; names: Map<string, number> }>();
  for (const [index, grants] of lists.entries())
    for (const { recipient_ein: ein, recipient_name: name, amount } of grants) {
      if (ein === null) continue;
      const entry = found.get(ein) ?? { sums: lists.map(() => undefined), names: new Map() };
      const before = entry.sums[index] ?? { amount: 0, records: 0 };
      entry.sums[index] = { amount: before.amount + amount, records: before.records + 1 };
      if (name !== null) entry.names.set(name, (entry.names.get(name) ?? 0) + 1);
      found.set(ein, entry);
    }
  return [...found]
    .map(([ein, { sums, names }]) => ({ ein, name: mostFrequent(names), sums }))
    .filter(({ sums }) => countFunders(sums) > 1)
    .sort(
      (a, b) =>
        countFunders(b.sums) - countFunders(a.sums) ||
        sumAll(b.sums) - sumAll(a.sums) ||
        (a.ein < b.ein ? -1 : 1),
    );
}

function countFunders(sums: SharedRecipient["sums"]): number {
  return sums.filter((sum) => sum !== undefined).length;
}

function sumAll(sums: SharedRecipient["sums"]): number {
  return sums.reduce((total, sum) => total + (sum?.amount ?? 0), 0);
}

function mostFrequent(names: ReadonlyMap<string, number>): string | null {
  const [most] = [...names].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return most?.[0] ?? null;
}
