// Defines the filters of a request. A grant must match all of them.
import type { Ein } from "./ein.ts";

/** An absent filter matches everything. A null field never matches a filter. */
export type Filters = {
  readonly funderEin?: Ein;
  readonly recipientEin?: Ein;
  readonly transactionYear?: number;
  /** Canonical text that the purpose contains. */
  readonly purpose?: string;
  /** Canonical text that the recipient's name contains. */
  readonly recipientName?: string;
  /** True if a grant must contain each word of a text, in any order; absent if it must contain the whole text. */
  readonly isByWords?: true;
  /** Minimum amount in cents, inclusive. */
  readonly minAmountCents?: bigint;
};
