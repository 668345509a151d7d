// Writes filters as SQL: the one place that knows what each filter compares.
import type { Ein } from "../../contract/ein.ts";
import type { Filters } from "../../contract/filters.ts";
import { splitWords } from "../../contract/text.ts";

/** What engines and tables write differently. A value is bound, or written so that it can be nothing else. */
export type FilterDialect = {
  /** The condition that the canonical text contains each of the patterns. */
  readonly contains: (column: "purpose" | "recipient_name", patterns: readonly string[]) => string;
  /** The condition that the canonical type or the state is the value. */
  readonly equals: (column: "type" | "funder_state" | "recipient_state", value: string) => string;
};

/** SQL of the condition that the filters stand for. Numbers are written as digits. */
export function whereSql(filters: Filters, dialect: FilterDialect): string {
  return [...conditionsOf(filters, dialect)].join(" AND ") || "1 = 1";
}

function* conditionsOf(filters: Filters, { contains, equals }: FilterDialect): Generator<string> {
  const { funderEin, funderEins, recipientEin, recipientEins, transactionYear, isByWords, matched } = filters;
  const { minYear, maxYear, minAmountCents: least, maxAmountCents: most } = filters;
  if (transactionYear !== undefined) yield `transaction_year = ${Number(transactionYear)}`;
  if (minYear !== undefined) yield `transaction_year >= ${Number(minYear)}`;
  if (maxYear !== undefined) yield `transaction_year <= ${Number(maxYear)}`;
  if (funderEin !== undefined) yield isOneOf("funder_ein", [funderEin]);
  if (funderEins !== undefined) yield isOneOf("funder_ein", funderEins);
  if (recipientEins !== undefined) yield isOneOf("recipient_ein", recipientEins);
  if (recipientEin !== undefined) {
    const [filed, likely] = [isOneOf("recipient_ein", [recipientEin]), isOneOf("likely_ein", [recipientEin])];
    yield { filed, only: likely, include: `(${filed} OR ${likely})` }[matched ?? "filed"];
  }
  if (least !== undefined) yield `amount_cents >= ${BigInt(least)}`;
  if (most !== undefined) yield `amount_cents <= ${BigInt(most)}`;
  const patternsOf = (text: string) => (isByWords ? splitWords(text) : [text]);
  if (filters.purpose !== undefined) yield contains("purpose", patternsOf(filters.purpose));
  if (filters.recipientName !== undefined)
    yield contains("recipient_name", patternsOf(filters.recipientName));
  if (filters.type !== undefined) yield equals("type", filters.type);
  if (filters.funderState !== undefined) yield equals("funder_state", filters.funderState);
  if (filters.recipientState !== undefined) yield equals("recipient_state", filters.recipientState);
}

function isOneOf(column: string, eins: readonly Ein[]): string {
  return `${column} IN (${eins.map(Number).join(", ")})`;
}
