// Lists the columns of a warehouse, each with its usual type.
import type { RecordField } from "../api-static/contract/answers/record.ts";

export const columnTypes: Readonly<Record<RecordField, string>> = {
  id: "BIGINT",
  funder_ein: "VARCHAR",
  transaction_year: "INTEGER",
  recipient_name: "VARCHAR",
  recipient_ein: "VARCHAR",
  type: "VARCHAR",
  amount: "DECIMAL(18,2)",
  non_cash_amount: "DECIMAL(18,2)",
  non_cash_description: "VARCHAR",
  purpose: "VARCHAR",
  created_at: "TIMESTAMP",
};
