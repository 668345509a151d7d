// Writes filters as SQL on the index's table of all records.
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import type { Filters } from "../../api-static/contract/filters.ts";
import { canonicalTextSql } from "../../api-static/contract/text.ts";

/** SQL of the conditions that the filters stand for. Lists are bound as texts, because DuckDB reads JavaScript's numbers as DOUBLE. */
const conditions: Readonly<Record<string, string>> = {
  funders: "funder_ein IN (SELECT unnest($funders)::UINTEGER)",
  recipients: "recipient_ein IN (SELECT unnest($recipients)::UINTEGER)",
  minYear: "transaction_year >= $minYear",
  maxYear: "transaction_year <= $maxYear",
  minCents: "amount_cents >= $minCents",
  maxCents: "amount_cents <= $maxCents",
  purpose: "purpose IN (SELECT id FROM purposes WHERE contains(text, $purpose))",
  recipientName: "recipient_name IN (SELECT id FROM recipient_names WHERE contains(text, $recipientName))",
  type: `type IN (SELECT id FROM types WHERE ${canonicalTextSql("text")} = $type)`,
  funderState: "funder_state IN (SELECT id FROM states WHERE text = $funderState)",
  recipientState: "recipient_state IN (SELECT id FROM states WHERE text = $recipientState)",
};

/** The values of the conditions; undefined for those that the filters do not have. */
function valuesOf(filters: Filters): Record<string, DuckDBValue | undefined> {
  const { funderEin, recipientEin, transactionYear, purpose, recipientName, type } = filters;
  const { funderState, recipientState } = filters;
  const funders = filters.funderEins ?? (funderEin && [funderEin]);
  const recipients = filters.recipientEins ?? (recipientEin && [recipientEin]);
  return {
    funders: funders && listValue([...funders]),
    recipients: recipients && listValue([...recipients]),
    minYear: transactionYear ?? filters.minYear,
    maxYear: transactionYear ?? filters.maxYear,
    minCents: filters.minAmountCents,
    maxCents: filters.maxAmountCents,
    ...{ purpose, recipientName, type, funderState, recipientState },
  };
}

/** The condition that the filters stand for, and its values. */
export function filterSql(filters: Filters): { where: string; values: Record<string, DuckDBValue> } {
  const given = Object.entries(valuesOf(filters)).filter(([, value]) => value !== undefined);
  const where = given.map(([name]) => conditions[name]).join(" AND ") || "true";
  return { where, values: Object.fromEntries(given) as Record<string, DuckDBValue> };
}
