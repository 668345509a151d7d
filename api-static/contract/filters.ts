// Defines the filters of a request, which a grant must match, and the keys by which grants are grouped.
import type { Ein } from "./ein.ts";
import { type AttributeKey, coveredFilters, groupedFilters } from "./filters/attributes.ts";

/** What `matched` accepts. Without it, answers have the grants as filed. */
export const matchedValues = ["exclude", "include", "only"] as const;

export type Matched = (typeof matchedValues)[number];

/** An absent filter matches everything. A null field never matches a filter. */
export type Filters = {
  readonly funderEin?: Ein;
  readonly recipientEin?: Ein;
  /** Two or more different EINs in ascending order: the funder is one of them. One alone is `funderEin`. */
  readonly funderEins?: readonly Ein[];
  readonly recipientEins?: readonly Ein[];
  readonly transactionYear?: number;
  /** The first and the last year, both inclusive. */
  readonly minYear?: number;
  readonly maxYear?: number;
  /** Canonical text that the purpose contains. */
  readonly purpose?: string;
  /** Canonical text that the recipient's name contains. */
  readonly recipientName?: string;
  /** True if a grant must contain each word of a text, in any order; absent if it must contain the whole text. */
  readonly isByWords?: true;
  /** Minimum and maximum amount in cents, both inclusive. */
  readonly minAmountCents?: bigint;
  readonly maxAmountCents?: bigint;
  /** Together with `recipientEin`: grants also match whose likely recipient it is, or only these. Absent for grants as filed. */
  readonly matched?: Exclude<Matched, "exclude">;
} & {
  /** The value of an attribute: a canonical text, or a code. An unknown value never matches. */
  readonly [Key in AttributeKey]?: string;
};

/** What the matching grants can be grouped by. */
export const groupKeys = [
  ...(["funder", "recipient", "year"] as const),
  ...groupedFilters.map(({ name }) => name),
];

export type GroupKey = (typeof groupKeys)[number];

/** The filters on states, with their parameters, which also name the columns of the index. */
export const placeFilters = { funderState: "funder_state", recipientState: "recipient_state" } as const;

export type PlaceFilter = keyof typeof placeFilters;

/** The filters but those on attributes whose value may be unknown. */
export function withoutCovered(filters: Filters): Filters {
  const others: { -readonly [Key in keyof Filters]: Filters[Key] } = { ...filters };
  for (const { key } of coveredFilters) delete others[key];
  return others;
}
