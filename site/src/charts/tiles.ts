// Places the states on a grid of tiles, and cuts their amounts into bands of color.

/** Columns and rows of the grid. */
export const [columns, rows] = [11, 8];

/** The grid, row by row, after the tile map of NPR (2015): every state has a tile of the same size, near its neighbors. */
const map = [
  "AK .. .. .. .. .. .. .. .. .. ME",
  ".. .. .. .. .. WI .. .. .. VT NH",
  "WA ID MT ND MN IL MI .. NY MA ..",
  "OR NV WY SD IA IN OH PA NJ CT RI",
  "CA UT CO NE MO KY WV VA MD DE ..",
  ".. AZ NM KS AR TN NC SC DC .. ..",
  ".. .. .. OK LA MS AL GA .. .. ..",
  "HI .. .. TX .. .. .. .. FL .. ..",
];

export type Tile = { readonly state: string; readonly column: number; readonly row: number };

/** The tiles of the 50 states and the District of Columbia. */
export const tiles: readonly Tile[] = map.flatMap((line, row) =>
  line
    .split(" ")
    .map((state, column) => ({ state, column, row }))
    .filter(({ state }) => state !== ".."),
);

/** Maximum bands, each with a color. */
const bandsMax = 5;

/** A range of amounts with one color. */
export type Band = { readonly from: number; readonly to: number };

/**
 * Bands with about equally many of the amounts, smallest first; equal amounts share one. Each has the smallest and largest
 * amount in it as bounds. Amounts of zero or less are in none.
 */
export function cutBands(amounts: readonly number[]): readonly Band[] {
  const sorted = amounts.filter((amount) => amount > 0).sort((a, b) => a - b);
  const bands: Band[] = [];
  for (let band = 1, start = 0; band <= bandsMax; band++) {
    let end = Math.round((sorted.length * band) / bandsMax);
    while (end > 0 && end < sorted.length && sorted[end] === sorted[end - 1]) end++;
    const [from, to] = [sorted[start], sorted[end - 1]];
    if (end <= start || from === undefined || to === undefined) continue;
    bands.push({ from, to });
    start = end;
  }
  return bands;
}

/** The number of an amount's band, from 1 to 5, the largest amounts always in 5; 0 for none. */
export function bandOf(amount: number, bands: readonly Band[]): number {
  const index = bands.findIndex(({ to }) => amount <= to);
  return amount <= 0 || index < 0 ? 0 : bandsMax - bands.length + 1 + index;
}
