// Owns the way from a request's filters to a WHERE clause that each peer's SQL can read.
import type { Filters } from "../../../api-static/contract/filters.ts";
import type { AcceptedColumn } from "./columns.ts";

export type TextColumn = "purpose_text" | "recipient_name_text";

/** How a peer writes a value that is bound, and looks for a text. */
export type Dialect = {
  /** @param number of the value, from 1 */
  readonly placeholder: (number: number) => string;
  /** The condition that a column contains a text, and what to bind for it. */
  readonly contains: (column: TextColumn, text: string, placeholder: string) => readonly [string, string];
};

/** Letters of the shortest text that an index of trigrams finds; a peer looks for shorter ones in every row. */
const trigramLength = 3;

export function hasTrigram(text: string): boolean {
  return [...text].length >= trigramLength;
}

export type Where = { readonly clause: string; readonly values: readonly (string | number)[] };

const columns: Readonly<Record<keyof Filters, AcceptedColumn>> = {
  funderEin: "funder_ein",
  recipientEin: "recipient_ein",
  transactionYear: "transaction_year",
  purpose: "purpose_text",
  recipientName: "recipient_name_text",
  minAmountCents: "amount_cents",
};

/** The filters as SQL: an empty clause where there are none, else one that begins with WHERE. */
export function formatWhere(filters: Filters, dialect: Dialect): Where {
  const given = (Object.keys(columns) as (keyof Filters)[]).filter((name) => filters[name] !== undefined);
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

/** A text as a pattern of LIKE that matches whatever contains it; `\` escapes. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
