// Makes grants that differ where a test says so.
import type { Grant } from "../../../site/src/api/client.ts";

/** Grants with the ids from 1. */
export function grantsOf(changes: readonly Partial<Grant>[]): Grant[] {
  return changes.map((changed, index) => ({
    id: index + 1,
    funder_ein: "521234567",
    transaction_year: 2015,
    recipient_name: "School",
    recipient_ein: "200000001",
    type: "Schedule I",
    amount: 1_000,
    non_cash_amount: null,
    non_cash_description: null,
    purpose: "General support",
    created_at: "2016-05-04T04:00:00Z",
    ...changed,
  }));
}
