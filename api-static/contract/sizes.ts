// Defines the size bands of totals: ranges of amounts.

/** Between two neighboring bands: the first amount (cents) of the upper one. */
export const sizeBounds = [0n, 100_000n, 1_000_000n, 10_000_000n, 100_000_000n];

/** Totals of grants. The amount is in cents, as a bigint because a sum may exceed what a number holds. */
export type Sum = { readonly records: number; readonly amount: bigint };

export const emptySum: Sum = { records: 0, amount: 0n };

/** What is left of a sum without a part of it. */
export function subtractSum(sum: Sum, part: Sum): Sum {
  return { records: sum.records - part.records, amount: sum.amount - part.amount };
}

/** The sum of sums. */
export function addSums(sums: readonly Sum[]): Sum {
  let [records, amount] = [0, 0n];
  for (const sum of sums) {
    records += sum.records;
    amount += sum.amount;
  }
  return { records, amount };
}

/** All size bands. @param sums of the bands, smallest first; an absent one has no grants */
export function formatSizes(sums: readonly (Sum | undefined)[]) {
  return [...sizeBounds, null].map((below, band) => ({
    from: sizeBounds[band - 1] ?? null,
    below,
    ...(sums[band] ?? emptySum),
  }));
}
