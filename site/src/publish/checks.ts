// Checks what a reader should know before publishing the sum of some grants.
import type { Grant, Status } from "../api/client.ts";
import { groupEqual } from "../parts/equalRows.ts";
import { addUp, type Sum } from "../text/totals.ts";

/** The grants of one return. */
export type Filing = Sum & { readonly funder: string /** Of one of its grants. */; readonly id: number };

export type Checks = {
  /** Grants that another filing lists too, as the API counts them: the filing with most of them counts. */
  readonly repeats: Sum;
  /** Rows of a filing that equal an earlier row of it. */
  readonly equal: Sum;
  readonly withoutEin: Sum;
  /** The most grants first. */
  readonly filings: readonly Filing[];
};

/** Ids of a return: its grants have the same quotient (see `idsPerReturn` of the API). */
const idsPerReturn = 2 ** 18;

/** Checks all grants of a selection. */
export function checkGrants(grants: readonly Grant[]): Checks {
  const copies = groupEqual(grants).map((filings) =>
    [...filings.values()].sort((a, b) => b.length - a.length),
  );
  const returns = Map.groupBy(grants, ({ id }) => Math.floor(id / idsPerReturn));
  return {
    repeats: addUp(copies.flatMap(([_, ...others]) => others.flat())),
    equal: addUp(copies.flatMap((filings) => filings.flatMap(([_, ...others]) => others))),
    withoutEin: addUp(grants.filter(({ recipient_ein }) => recipient_ein === null)),
    filings: [...returns.values()]
      .map((all) => ({ ...addUp(all), funder: all[0]?.funder_ein ?? "", id: all[0]?.id ?? 0 }))
      .sort((a, b) => b.records - a.records),
  };
}

/** Returns of a year are due until this day of the second year after it: its last fiscal year ends in November, 10.5 months before. */
const [dueMonth, dueDay] = [9, 15];

/** The years whose returns were not all due when the newest grant was filed, oldest first. */
export function findIncomplete(
  years: readonly { readonly transaction_year: number }[],
  { newest_created_at }: Pick<Status, "newest_created_at">,
): number[] {
  const isOpen = (year: number) => Date.parse(newest_created_at) < Date.UTC(year + 2, dueMonth, dueDay);
  return years
    .map(({ transaction_year }) => transaction_year)
    .filter(isOpen)
    .sort((a, b) => a - b);
}
