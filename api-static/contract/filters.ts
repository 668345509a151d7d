// Defines the filters of a request: what grants must match.
import type { Ein } from "./ein.ts";

/** What grants must meet; absent means any. A null field never meets a filter. */
export type Filters = {
  readonly funderEin?: Ein;
  readonly recipientEin?: Ein;
  readonly transactionYear?: number;
  /** Canonical text that the purpose contains. */
  readonly purpose?: string;
  /** Canonical text that the recipient's name contains. */
  readonly recipientName?: string;
  /** Least amount, inclusive, in cents. */
  readonly minAmountCents?: bigint;
};
