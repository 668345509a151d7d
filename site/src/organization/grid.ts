// Sums a recipient's grants by funder and year.
import { yearsBetween } from "../charts/years.ts";

type Given = { readonly funder_ein: string; readonly transaction_year: number; readonly amount: number };

export type Cell = {
  readonly amount: number;
  readonly grants: number;
  /** Strength of the color, 0 (none: not above zero) to 6 (the largest). */
  readonly level: number;
};

export type GridRow = {
  readonly ein: string;
  readonly cells: ReadonlyMap<number, Cell>;
  readonly amount: number;
};

export type Grid = {
  /** Every calendar year from the first to the last. */
  readonly years: readonly number[];
  /** One for each funder, the largest sum first. */
  readonly rows: readonly GridRow[];
};

const maxLevel = 6;

/** The grid of a list of grants. */
export function sumGrid(grants: readonly Given[]): Grid {
  const sums = new Map<string, Map<number, { cents: number; grants: number }>>();
  for (const { funder_ein, transaction_year, amount } of grants) {
    const years = sums.get(funder_ein) ?? new Map();
    const { cents, grants: count } = years.get(transaction_year) ?? { cents: 0, grants: 0 };
    years.set(transaction_year, { cents: cents + Math.round(amount * 100), grants: count + 1 });
    sums.set(funder_ein, years);
  }
  const all = [...sums.values()].flatMap((years) => [...years.values()]);
  const largest = Math.max(0, ...all.map(({ cents }) => cents));
  const rows = [...sums].map(([ein, years]) => ({
    ein,
    cells: new Map(
      [...years].map(([year, { cents, grants: count }]) => [
        year,
        { amount: cents / 100, grants: count, level: levelOf(cents, largest) },
      ]),
    ),
    amount: [...years.values()].reduce((sum, { cents }) => sum + cents, 0) / 100,
  }));
  const found = grants.map(({ transaction_year }) => transaction_year);
  return {
    years: found.length === 0 ? [] : yearsBetween(Math.min(...found), Math.max(...found)),
    rows: rows.sort((a, b) => b.amount - a.amount || (a.ein < b.ein ? -1 : 1)),
  };
}

/** By the square root, so that a tenth of the largest amount still differs visibly from none. */
function levelOf(cents: number, largest: number): number {
  return cents <= 0 ? 0 : Math.max(1, Math.ceil(maxLevel * Math.sqrt(cents / largest)));
}
