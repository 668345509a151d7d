// Formats a request's filters as the WHERE clause of a peer's SQL.
import type { Filters } from "../../../api-static/contract/filters.ts";
import type { AcceptedColumn } from "./columns.ts";

export type TextColumn = "purpose_text" | "recipient_name_text";

/** How a peer writes a bound value and searches for a text. */
export type Dialect = {
  /** @param number position of the value, from 1 */
  readonly placeholder: (number: number) => string;
  /** The condition that a column contains a text, and the value to bind. */
  readonly contains: (column: TextColumn, text: string, placeholder: string) => readonly [string, string];
};

/** Length of the shortest text that an index of trigrams finds; shorter ones need a scan of every row. */
const trigramLength = 3;

export function hasTrigram(text: string): boolean {
  return [...text].length >= trigramLength;
}

export type Where = { readonly clause: string; readonly values: readonly (string | number)[] };

/** The filters that peers answer. They match texts whole. */
export type FilterName =
  | "funderEin"
  | "recipientEin"
  | "transactionYear"
  | "purpose"
  | "recipientName"
  | "minAmountCents";

const columns: Readonly<Record<FilterName, AcceptedColumn>> = {
  funderEin: "funder_ein",
  recipientEin: "recipient_ein",
  transactionYear: "transaction_year",
  purpose: "purpose_text",
  recipientName: "recipient_name_text",
  minAmountCents: "amount_cents",
};

/** The filters as SQL: an empty clause, or one that starts with WHERE. */
export function formatWhere(filters: Filters, dialect: Dialect): Where {
  const given = (Object.keys(columns) as FilterName[]).filter((name) => filters[name] !== undefined);
  const parts = given.map((name, index) => {
    const column = columns[name];
    const value = filters[name] ?? "";
    const placeholder = dialect.placeholder(index + 1);
    if (column === "purpose_text" || column === "recipient_name_text")
      return dialect.contains(column, String(value), placeholder);
    return [`${column} ${name === "minAmountCents" ? ">=" : "="} ${placeholder}`, Number(value)] as const;
  });
  const clause = parts.length === 0 ? "" : `WHERE ${parts.map(([condition]) => condition).join(" AND ")}`;
  return { clause, values: parts.map(([, value]) => value) };
}

/** A LIKE pattern that matches any value that contains the text; `\` escapes. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
