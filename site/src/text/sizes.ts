// Finds the size band that most grants fall into, and the bands to show.
import { formatAmount, formatBand } from "./numbers.ts";

export type SizeBand = {
  readonly from: number | null;
  readonly below: number | null;
  readonly records: number;
  readonly amount: number;
};

export type ShownBand = { readonly text: string; readonly records: number; readonly amount: number };

/** The bands in words, smallest first. The band of negative amounts is left out if it is empty. */
export function shownBands(sizes: readonly SizeBand[]): ShownBand[] {
  const hasNegative = sizes.some(({ below, records }) => below === 0 && records > 0);
  return sizes
    .filter(({ below, records }) => below !== 0 || records > 0)
    .map(({ from, below, records, amount }) => ({
      text:
        hasNegative && from === 0 && below !== null
          ? `${formatAmount(0)} to ${formatAmount(below - 1)}`
          : formatBand(from, below),
      records,
      amount,
    }));
}

/** Fewer grants than these have no usual size. */
const minGrants = 3;

/** The band with most grants and its share of them; undefined if two are equal, or the grants are few. */
export function findUsualBand(sizes: readonly SizeBand[]): { text: string; share: number } | undefined {
  const total = countGrants(sizes);
  const [first, second] = shownBands(sizes).sort((a, b) => b.records - a.records);
  if (total < minGrants || first === undefined || first.records === second?.records) return undefined;
  return { text: first.text, share: first.records / total };
}

/** Says why bands have no usual one. */
export function describeNoUsual(sizes: readonly SizeBand[]): string {
  const total = countGrants(sizes);
  if (total === 0) return "No grants";
  return total < minGrants ? "Too few grants" : "Two sizes are equally common";
}

function countGrants(sizes: readonly SizeBand[]): number {
  return sizes.reduce((sum, { records }) => sum + records, 0);
}
