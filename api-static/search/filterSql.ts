// Writes filters as SQL: on the index's table of all records, or on rows with a record's fields.
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import { centsSql } from "../contract/amount.ts";
import type { Filters } from "../contract/filters.ts";
import { canonicalTextSql, splitWords } from "../contract/text.ts";

/** SQL of the condition that each filter stands for. Lists are bound as texts, because DuckDB reads JavaScript's numbers as DOUBLE. */
type Conditions = Readonly<Record<keyof ReturnType<typeof valuesOf>, string>>;

const years = { minYear: "transaction_year >= $minYear", maxYear: "transaction_year <= $maxYear" };

/** Conditions on the index's table of all records, which has numbers instead of texts. */
export const indexConditions: Conditions = {
  ...years,
  funders: "funder_ein IN (SELECT unnest($funders)::UINTEGER)",
  recipients: "recipient_ein IN (SELECT unnest($recipients)::UINTEGER)",
  minCents: "amount_cents >= $minCents",
  maxCents: "amount_cents <= $maxCents",
  purpose: `purpose IN (SELECT id FROM purposes WHERE ${containsSql("text", "$purpose")})`,
  recipientName: `recipient_name IN (SELECT id FROM recipient_names WHERE ${containsSql("text", "$recipientName")})`,
  type: `type IN (SELECT id FROM types WHERE ${canonicalTextSql("text")} = $type)`,
  funderState: "funder_state IN (SELECT id FROM states WHERE text = $funderState)",
  recipientState: "recipient_state IN (SELECT id FROM states WHERE text = $recipientState)",
};

/** Conditions on the fields of records, as files of changes have them. No place is a part of a record. */
export const recordConditions: Conditions = {
  ...years,
  funders: "funder_ein IN (SELECT unnest($funders))",
  recipients: "recipient_ein IN (SELECT unnest($recipients))",
  minCents: `${centsSql("amount")} >= $minCents`,
  maxCents: `${centsSql("amount")} <= $maxCents`,
  purpose: containsSql(canonicalTextSql("purpose"), "$purpose"),
  recipientName: containsSql(canonicalTextSql("recipient_name"), "$recipientName"),
  type: `${canonicalTextSql("type")} = $type`,
  funderState: "false",
  recipientState: "false",
};

/** SQL: the text contains each of the patterns. */
function containsSql(text: string, patterns: string): string {
  return `list_bool_and([contains(${text}, pattern) FOR pattern IN ${patterns}])`;
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
export function filterSql(
  filters: Filters,
  conditions: Conditions,
): { where: string; values: Record<string, DuckDBValue> } {
  const given = Object.entries(valuesOf(filters)).filter(([, value]) => value !== undefined);
  const where = given.map(([name]) => conditions[name as keyof Conditions]).join(" AND ") || "true";
  return { where, values: Object.fromEntries(given) as Record<string, DuckDBValue> };
}
