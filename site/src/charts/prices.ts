// Converts dollars of other years into dollars of one, by consumer prices.
import type { YearColumn } from "./column.tsx";

/** The first year of the table. */
const firstYear = 2000;

/**
 * Annual averages of the consumer price index for all urban consumers (CPI-U, all items, US city average, not seasonally adjusted;
 * 1982 to 1984 = 100), by the Bureau of Labor Statistics, as of January 2025: https://data.bls.gov/timeseries/CUUR0000SA0
 */
const averages = [
  172.2, 177.1, 179.9, 184.0, 188.9, 195.3, 201.6, 207.342, 215.303, 214.537, 218.056, 224.939, 229.594,
  232.957, 236.736, 237.017, 240.007, 245.12, 251.107, 255.657, 258.811, 270.97, 292.655, 304.702, 313.689,
];

const latest = averages.at(-1) ?? 1;

/** The last year of the table, whose prices are used. */
export const priceYear = firstYear + averages.length - 1;

/** Where the prices are from. */
export const priceNote = `In prices of ${priceYear}, by the consumer price index CPI-U (annual averages as of January 2025). Later years are as filed.`;

/** True if the dollars of all columns can be converted. */
export function isPriced(columns: readonly YearColumn[]): boolean {
  return columns.every(({ year }) => year >= firstYear);
}

/** The columns in prices of the last year of the table, in whole dollars; later ones as they are. */
export function inPrices(columns: readonly YearColumn[]): YearColumn[] {
  return columns.map((column) => {
    const { year, value, likely } = column;
    const average = averages[year - firstYear];
    if (average === undefined) return column;
    const convert = (dollars: number) => Math.round((dollars * latest) / average);
    return {
      ...column,
      value: convert(value),
      ...(likely && { likely: { ...likely, value: convert(likely.value) } }),
    };
  });
}
