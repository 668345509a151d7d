// Writes filters as SQL on the index's table of all records.
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import type { Filters } from "../contract/filters.ts";
import { canonicalTextSql, splitWords } from "../contract/text.ts";

/** SQL of the condition that each filter stands for. Lists are bound as texts, because DuckDB reads JavaScript's numbers as DOUBLE. */
type Conditions = Readonly<Record<keyof ReturnType<typeof valuesOf>, string>>;

const conditions: Conditions = {
  minYear: "transaction_year >= $minYear",
  maxYear: "transaction_year <= $maxYear",
  funders: "funder_ein IN (SELECT unnest($funders)::UINTEGER)",
  recipients: "recipient_ein IN (SELECT unnest($recipients)::UINTEGER)",
  minCents: "amount_cents >= $minCents",
  maxCents: "amount_cents <= $maxCents",
  purpose: `purpose IN (SELECT id FROM purposes WHERE ${containsSql("$purpose")})`,
  recipientName: `recipient_name IN (SELECT id FROM recipient_names WHERE ${containsSql("$recipientName")})`,
  type: `type IN (SELECT id FROM types WHERE ${canonicalTextSql("text")} = $type)`,
  funderState: "funder_state IN (SELECT id FROM states WHERE text = $funderState)",
  recipientState: "recipient_state IN (SELECT id FROM states WHERE text = $recipientState)",
};

/** SQL: the text contains each of the patterns. */
function containsSql(patterns: string): string {
  return `list_bool_and([contains(text, pattern) FOR pattern IN ${patterns}])`;
}

/** The values of the conditions; undefined for those that the filters do not have. */
function valuesOf(filters: Filters) {
  const { funderEin, recipientEin, transactionYear, purpose, recipientName, type } = filters;
  const { funderState, recipientState } = filters;
  const funders = filters.funderEins ?? (funderEin && [funderEin]);
  const recipients = filters.recipientEins ?? (recipientEin && [recipientEin]);
  const patterns = (text: string) => listValue(filters.isByWords ? splitWords(text) : [text]);
  return {
    funders: funders && listValue([...funders]),
    recipients: recipients && listValue([...recipients]),
    minYear: transactionYear ?? filters.minYear,
    maxYear: transactionYear ?? filters.maxYear,
    minCents: filters.minAmountCents,
    maxCents: filters.maxAmountCents,
    purpose: purpose && patterns(purpose),
    recipientName: recipientName && patterns(recipientName),
    ...{ type, funderState, recipientState },
  };
}

/** The condition that the filters stand for, and its values. */
export function filterSql(filters: Filters): { where: string; values: Record<string, DuckDBValue> } {
  const given = Object.entries(valuesOf(filters)).filter(([, value]) => value !== undefined);
  const where = given.map(([name]) => conditions[name as keyof Conditions]).join(" AND ") || "true";
  return { where, values: Object.fromEntries(given) as Record<string, DuckDBValue> };
}
