// Decides whether a record matches a set of filters, for records that are checked one by one.
import type { Ein } from "./ein.ts";
import { type Filters, type PlaceFilter, placesOf } from "./filters.ts";
import type { GrantRecord } from "./record.ts";
import { canonicalText, splitWords } from "./text.ts";

/** Find exact amounts in a record's JSON text. They cannot match inside a string, where quotes are escaped. */
const amountPatterns = {
  amount: /,"amount":(-?\d+)\.(\d\d),/,
  non_cash_amount: /,"non_cash_amount":(-?\d+)\.(\d\d),/,
};

/** True if a record's JSON tells whether it matches the filters: places and likely recipients are no part of a record, only of the index. */
export function areInRecords(filters: Filters): boolean {
  return placesOf(filters).length === 0 && filters.matched === undefined;
}

/**
 * True if a record matches all filters except those on places, which are no part of it. A test proves that the index gives the same
 * answer.
 * @param line the record's JSON
 */
export function meetsFilters(line: string, filters: Omit<Filters, PlaceFilter>): boolean {
  const record = JSON.parse(line) as GrantRecord;
  const { funderEin, funderEins, recipientEin, recipientEins, purpose, recipientName, type } = filters;
  const { transactionYear, minYear = 0, maxYear = 9999, minAmountCents, maxAmountCents } = filters;
  const year = record.transaction_year;
  const patterns = (text: string) => (filters.isByWords ? splitWords(text) : [text]);
  return (
    (funderEin === undefined || record.funder_ein === funderEin) &&
    (funderEins === undefined || funderEins.includes(record.funder_ein as Ein)) &&
    (recipientEin === undefined || record.recipient_ein === recipientEin) &&
    (recipientEins === undefined || recipientEins.includes(record.recipient_ein as Ein)) &&
    (transactionYear === undefined || year === transactionYear) &&
    year >= minYear &&
    year <= maxYear &&
    (purpose === undefined || contains(record.purpose, patterns(purpose))) &&
    (recipientName === undefined || contains(record.recipient_name, patterns(recipientName))) &&
    (type === undefined || (record.type !== null && canonicalText(record.type) === type)) &&
    (minAmountCents === undefined || readCents(line) >= minAmountCents) &&
    (maxAmountCents === undefined || readCents(line) <= maxAmountCents)
  );
}

function contains(text: string | null, patterns: readonly string[]): boolean {
  if (text === null) return false;
  const canonical = canonicalText(text);
  return patterns.every((pattern) => canonical.includes(pattern));
}

/** An amount in a record's JSON text. @throws SyntaxError if it has none */
export function readCents(line: string, field: keyof typeof amountPatterns = "amount"): bigint {
  const [, whole, cents] = amountPatterns[field].exec(line) ?? [];
  if (whole === undefined) throw new SyntaxError(`a record of the release has no ${field}`);
  return BigInt(whole + cents);
}
