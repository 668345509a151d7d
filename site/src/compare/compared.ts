// Computes what the Compare page says about funders: totals of a year, usual sizes, years in common, shared recipients.
import type { FunderSummary, Grant } from "../api/client.ts";

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

/**
 * The size bands with their shares of a funder's grants; negative amounts count in the smallest. For one year they are
 * counted from the year's grants, otherwise taken from the summary.
 */
export function shareOfBands({ summary, grants }: Compared, year: number | undefined): BandShare[] {
  const all = year === undefined ? summary.records : grants.length;
  const bands: { from: number | null; below: number | null; count: number }[] = [];
  for (const { from, below, records } of summary.sizes) {
    const isIn = ({ amount }: Grant) =>
      (from === null || amount >= from) && (below === null || amount < below);
    const count = year === undefined ? records : grants.filter(isIn).length;
    const before = bands.at(-1);
    if (before?.below !== 0) bands.push({ from, below, count });
    else bands.splice(-1, 1, { from: before.from, below, count: before.count + count });
  }
  return bands.map(({ from, below, count }) => ({ from, below, share: all === 0 ? 0 : count / all }));
}

/** The band with the largest share, the smaller one if two are equal; undefined without grants. */
export function usualBand(bands: readonly BandShare[]): BandShare | undefined {
  const usual = bands.reduce<BandShare | undefined>(
    (best, band) => (best === undefined || band.share > best.share ? band : best),
    undefined,
  );
  return usual === undefined || usual.share === 0 ? undefined : usual;
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
  /** The name in most of these grants. */
  readonly name: string | null;
  /** What each funder gave it, in the funders' order; undefined if nothing. */
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
