// Writes filters as SQL on the index's table of all records, which has ids of texts.
import type { DuckDBValue } from "@duckdb/node-api";
import type { Filters } from "../contract/filters.ts";
import { canonicalTextSql } from "../contract/text.ts";
import { whereSql } from "./sql/filters.ts";

/** The tables of the texts that columns have ids of, and the text as it compares. */
const texts = {
  purpose: { table: "purposes", text: "text" },
  recipient_name: { table: "recipient_names", text: "text" },
  type: { table: "types", text: canonicalTextSql("text") },
  funder_state: { table: "states", text: "text" },
  recipient_state: { table: "states", text: "text" },
} as const;

/** The condition that the filters stand for, and its values. */
export function filterSql(filters: Filters): { where: string; values: Record<string, DuckDBValue> } {
  const values: Record<string, DuckDBValue> = {};
  const isText = (column: keyof typeof texts, condition: (text: string) => string) => {
    const { table, text } = texts[column];
    return `${column} IN (SELECT id FROM ${table} WHERE ${condition(text)})`;
  };
  const where = whereSql(filters, {
    contains(column, patterns) {
      const names = patterns.map((_, index) => `${column}_${index}`);
      for (const [index, name] of names.entries()) values[name] = patterns[index] as string;
      return isText(column, (text) => names.map((name) => `contains(${text}, $${name})`).join(" AND "));
    },
    equals(column, value) {
      values[column] = value;
      return isText(column, (text) => `${text} = $${column}`);
    },
  });
  return { where, values };
}
