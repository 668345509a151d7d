// Defines the grant record: its fields in their order, and SQL for its JSON text.

import { einDigitsSchema } from "../ein.ts";
import { centsSql } from "../text/amount.ts";
import { grantType, type Schema, type ValueOf } from "./schema.ts";

/** The keys of every record, in the order of its JSON. */
export const recordFields = [
  "id",
  "funder_ein",
  "transaction_year",
  "recipient_name",
  "recipient_ein",
  "type",
  "amount",
  "non_cash_amount",
  "non_cash_description",
  "purpose",
  "created_at",
] as const;

/** The fields that may be null. */
export const nullableFields = [
  "recipient_name",
  "recipient_ein",
  "type",
  "non_cash_amount",
  "non_cash_description",
  "purpose",
] as const satisfies readonly RecordField[];

export type NullableField = (typeof nullableFields)[number];

export type RecordField = (typeof recordFields)[number];

/** JSON Schema of each field's values other than null. */
export const fieldSchemas = {
  id: { type: "integer", description: "Identifier of the grant record." },
  funder_ein: { ...einDigitsSchema, description: "EIN of the funder." },
  transaction_year: { type: "integer", minimum: 1900, description: "Year of the grant." },
  recipient_name: { type: "string", description: "Name of the recipient, as filed." },
  recipient_ein: {
    ...einDigitsSchema,
    description: "EIN of the recipient; null in most grants, as private foundations do not file it.",
  },
  type: grantType,
  amount: {
    type: "number",
    description: "Cash amount in dollars, exact to the cent; negative for a correction.",
  },
  non_cash_amount: { type: "number", description: "Value of non-cash support in dollars." },
  non_cash_description: { type: "string", description: "Description of non-cash support." },
  purpose: { type: "string", description: "Purpose of the grant, as filed." },
  created_at: { type: "string", format: "date-time", description: "When the record was made, UTC." },
} as const satisfies Readonly<Record<RecordField, Schema>>;

/** EIN of a recipient, never null. */
export const recipientEin = { ...einDigitsSchema, description: "EIN of the recipient." } as const;

/** A recipient's most frequent name. */
export const recipientName = {
  type: ["string", "null"],
  description: "The name that most of its grants give.",
} as const;

/** A record as JavaScript parses it. Amounts are exact up to 2^53 cents. */
export type GrantRecord = {
  readonly [Field in RecordField]:
    | ValueOf<(typeof fieldSchemas)[Field]>
    | (Field extends NullableField ? null : never);
};

/** The result order of every list, on a table with the record's columns. Total, because ids are unique. */
export const resultOrderSql = "transaction_year DESC, amount DESC, id";

/** SQL of a timestamp in UTC as ISO 8601, with milliseconds only if they are not zero. */
export function timestampSql(column: string): string {
  return `CASE WHEN epoch_ms(${column}) % 1000 = 0
    THEN strftime(${column}, '%Y-%m-%dT%H:%M:%SZ')
    ELSE strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ') END`;
}

const fieldSql: Partial<Record<RecordField, string>> = {
  funder_ein: "lpad(funder_ein::VARCHAR, 9, '0')",
  recipient_ein: "lpad(recipient_ein::VARCHAR, 9, '0')",
  created_at: timestampSql("created_at"),
};

/**
 * SQL for the JSON text of a record, on a table with EINs as integers, amounts as DECIMAL(18,2) (which `to_json`
 * writes exactly, with both decimals) and created_at as a TIMESTAMP in UTC without microseconds.
 */
export const recordJsonSql = `to_json({${recordFields.map((field) => `${field}: ${fieldSql[field] ?? field}`).join(", ")}})`;

/** SQL of the cents of a grant's non-cash support; null without any. */
export const nonCashCentsSql = `CASE WHEN non_cash_amount > 0 THEN ${centsSql("non_cash_amount")} END`;
