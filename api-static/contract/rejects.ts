// Defines why the pipeline rejects rows of the warehouse.

/** Why a row is rejected, for people. If several reasons apply, the first counts. */
export const rejectMeanings = {
  id_missing: "The row has no id.",
  funder_ein_invalid: "The funder's EIN is not nine digits.",
  transaction_year_invalid: "The year is before 1900 or after next year.",
  amount_missing: "The row has neither an amount nor a non-cash amount.",
  created_at_missing: "The row has no created_at.",
  duplicate_id: "A newer row has the same id. Applies only to rows that are valid otherwise.",
} as const;

export type RejectReason = keyof typeof rejectMeanings;

/** Every reason, in the order in which they are checked. */
export const rejectReasons = Object.keys(rejectMeanings) as readonly RejectReason[];
