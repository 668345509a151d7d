// Owns what it means that a record meets filters, for records that are looked at one by one.

import type { Filters } from "./filters.ts";
import type { GrantRecord } from "./record.ts";
import { canonicalText } from "./text.ts";

/** The amount as it stands in a record's JSON text, exact: in a string, a quote before the name would be escaped. */
const amountPattern = /,"amount":(-?\d+)\.(\d\d),/;

/**
 * True when a record meets all filters; the same answer as the index gives.
 * @param line the record's JSON text
 */
export function meetsFilters(line: string, filters: Filters): boolean {
  const record = JSON.parse(line) as GrantRecord;
  const { funderEin, recipientEin, transactionYear, purpose, recipientName, minAmountCents } = filters;
  return (
    (funderEin === undefined || record.funder_ein === funderEin) &&
    (recipientEin === undefined || record.recipient_ein === recipientEin) &&
    (transactionYear === undefined || record.transaction_year === transactionYear) &&
    (purpose === undefined || contains(record.purpose, purpose)) &&
    (recipientName === undefined || contains(record.recipient_name, recipientName)) &&
    (minAmountCents === undefined || readCents(line) >= minAmountCents)
  );
}

function contains(text: string | null, pattern: string): boolean {
  return text !== null && canonicalText(text).includes(pattern);
}

function readCents(line: string): bigint {
  const [, whole, cents] = amountPattern.exec(line) ?? [];
  if (whole === undefined) throw new Error("a record of the release has no amount");
  return BigInt(whole + cents);
}
