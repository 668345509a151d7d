// Formats the data of totals, whichever way the matches were added up.
import { stringify } from "../contract/amount.ts";
import { formatSizes, type Sum } from "../contract/sizes.ts";
import type { MarkName } from "../release/attributes.ts";

/** Sums by year, newest first, and by size band without totals over people, smallest first; groups as they are written, and how many there are of each kind. */
export type Totals = {
  readonly all: Sum;
  readonly years: readonly (Sum & { readonly year: number })[];
  readonly sizes: readonly (Sum | undefined)[];
  readonly marks: MarkSums;
  readonly funders: { readonly total: number; readonly top: readonly object[] };
  readonly recipients: { readonly total: number; readonly top: readonly object[]; readonly without: Sum };
  /** For each filter on a place, the matches of the other filters; undefined if there is no such filter. */
  readonly coverage: object | undefined;
};

/** The sums of grants with each mark. The one of non-cash support adds up its value, not the cash beside it. */
export type MarkSums = Readonly<Record<MarkName, Sum>>;

export function formatTotals({ all, years, sizes, marks, funders, recipients, coverage }: Totals): Buffer {
  const data = {
    ...all,
    funders: funders.total,
    recipients: recipients.total,
    first_year: years.at(-1)?.year ?? null,
    last_year: years[0]?.year ?? null,
    ...marks,
    years: years.map(({ year, ...sum }) => ({ transaction_year: year, ...sum })),
    sizes: formatSizes(sizes),
    top_funders: funders.top,
    top_recipients: recipients.top,
    without_recipient: recipients.without,
    ...(coverage !== undefined && { coverage }),
  };
  return Buffer.from(stringify(data));
}
