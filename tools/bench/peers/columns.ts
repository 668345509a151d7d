// Defines the columns that every peer loads: integers for EINs and amounts, canonical texts beside the filed ones.

/** Names with their DuckDB types. */
export const acceptedColumns = {
  /** Place in the result order of all records, from 0: one column to sort by instead of three. */
  place: "INTEGER",
  id: "BIGINT",
  funder_ein: "INTEGER",
  transaction_year: "SMALLINT",
  recipient_name: "VARCHAR",
  recipient_ein: "INTEGER",
  type: "VARCHAR",
  amount_cents: "BIGINT",
  non_cash_amount_cents: "BIGINT",
  non_cash_description: "VARCHAR",
  purpose: "VARCHAR",
  created_at: "VARCHAR",
  purpose_text: "VARCHAR",
  recipient_name_text: "VARCHAR",
} as const;

export type AcceptedColumn = keyof typeof acceptedColumns;

export const acceptedNames = Object.keys(acceptedColumns) as AcceptedColumn[];

/** The columns of a returned record; the first is its id. */
export const answeredNames = acceptedNames.filter(
  (name) => !["place", "purpose_text", "recipient_name_text"].includes(name),
);
