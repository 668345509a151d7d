// Defines what SQL searches need: an engine, the table of all grants with its columns, in ClickHouse and as a view of a release's `index.duckdb`,
// and filters as SQL.

import type { DuckDBValue } from "@duckdb/node-api";
import { type AttributeName, attributeFilters } from "../../contract/filters/attributes.ts";
import type { FilterDialect } from "../../contract/filters/filter.ts";
import { filtersIn } from "../../contract/filters/table.ts";
import type { Filters } from "../../contract/filters.ts";
import { canonicalTextSql } from "../../contract/text/text.ts";
import { textsOf } from "../../release/attributes.ts";

/** Rows of texts; null is null. */
export type TextRows = readonly (readonly (string | null)[])[];

/** A statement that is being written: an engine binds its values, or writes them. */
export type Statement = FilterDialect & {
  /** SQL of the condition that the column is one of some texts. */
  readonly isOneOf: (column: TableColumnName, texts: readonly string[]) => string;
  /**
   * Runs SQL whose table of grants is `grants`.
   * @throws Refusal `overloaded` if the engine does not answer, or not all of it does
   */
  readonly read: (sql: string, signal: AbortSignal) => Promise<TextRows>;
};

export type SqlEngine = {
  readonly name: "duckdb" | "clickhouse";
  /** SQL that names the line of a grant, and that adds up a column of cents exactly. */
  readonly line: string;
  readonly sum: (cents: TableColumnName) => string;
  readonly page: (limit: number, offset: number) => string;
  /** SQL of the first row for each value of some columns. @param select a SELECT without ORDER BY */
  readonly firstOfEach: (select: string, columns: string, order: string) => string;
  readonly start: () => Statement;
  /** The JSON of records by what `line` gave, each with its line end. */
  readonly readLines: (lines: readonly string[]) => Promise<Buffer>;
};

/** A column: its type in ClickHouse, its value in DuckDB, and the join that the value needs there. */
type TableColumn = { readonly type: string; readonly value: string; readonly join?: string };

const orEmpty = (text: string) => `coalesce(${text}, '')`;

/** A column of texts: as filters compare them, or as filed. */
function textOf(column: string, value = orEmpty, type = "String"): TableColumn {
  const name = `of_${column}`;
  const join = `LEFT JOIN ${textsOf(column).table} AS ${name} ON ${name}.id = grants.${column}`;
  return { type, value: value(`${name}.text`), join };
}

const ofAttributes = attributeFilters.flatMap(({ name, isFiled }): [string, TableColumn][] => {
  if (!isFiled) return [[name, textOf(name)]];
  const filed = textOf(name, (text) => text, "Nullable(String)");
  return [
    [name, textOf(name, (text) => orEmpty(canonicalTextSql(text)))],
    [`${name}_filed`, filed],
  ];
});

const ofMatch = "LEFT JOIN by_match ON by_match.position = grants.position";

/** The columns, without `line`. Texts that filters compare are canonical. An absent text is empty, except the type as filed. */
export const tableColumns = {
  transaction_year: { type: "UInt16", value: "grants.transaction_year::INTEGER" },
  amount_cents: { type: "Int64", value: "grants.amount_cents" },
  /** 0 without non-cash support. */
  non_cash_cents: { type: "Int64", value: "coalesce(grants.non_cash_cents, 0)" },
  is_individuals: { type: "UInt8", value: "grants.is_individuals::INTEGER" },
  is_passed_on: { type: "UInt8", value: "grants.is_passed_on::INTEGER" },
  is_donor_advised: { type: "UInt8", value: "grants.is_donor_advised::INTEGER" },
  id: { type: "Int64", value: "grants.id" },
  funder_ein: { type: "UInt32", value: "grants.funder_ein" },
  recipient_ein: { type: "Nullable(UInt32)", value: "grants.recipient_ein" },
  purpose: textOf("purpose"),
  recipient_name: textOf("recipient_name"),
  ...(Object.fromEntries(ofAttributes) as Record<AttributeName | "type_filed", TableColumn>),
  /** The likely recipient, and the id of what is said of the match; -1 for none. */
  likely_ein: { type: "Nullable(UInt32)", value: "by_match.matched_ein", join: ofMatch },
  match: { type: "Int32", value: "coalesce(by_match.text, -1)", join: ofMatch },
} as const satisfies Readonly<Record<string, TableColumn>>;

export type TableColumnName = keyof typeof tableColumns;

/** All names, in order. The table in ClickHouse has the JSON of the record after them, as `line`, without its line end. */
export const tableColumnNames = Object.keys(tableColumns) as TableColumnName[];

/** The name of a release's table in ClickHouse. */
export function tableName(release: string): string {
  return `grants_${release.replaceAll(/[^A-Za-z0-9]/g, "_")}`;
}

/**
 * SQL that creates a table in ClickHouse. @param table its name, made by `tableName`
 * @param hasTextIndex true if the version has an index of texts (26)
 */
export function createTableSql(table: string, hasTextIndex: boolean): string {
  const columns = tableColumnNames.map((name) => `${name} ${tableColumns[name].type}`);
  const indexes = ["purpose", "recipient_name"].map(
    (name) => `INDEX ${name}_grams ${name} TYPE text(tokenizer = ngrams(3))`,
  );
  return `CREATE TABLE ${table} (${[...columns, "line String", ...(hasTextIndex ? indexes : [])].join(", ")})
ENGINE = MergeTree ORDER BY (-transaction_year, -amount_cents, id)`;
}

/**
 * SQL of the table for a DuckDB whose current database is a release's index: with `position`, which is the number of the line in
 * `records`, and the wanted columns.
 */
export function grantsSql(wanted: readonly TableColumnName[] = tableColumnNames): string {
  const columns: readonly TableColumn[] = wanted.map((name) => tableColumns[name]);
  const values = wanted.map((name) => `${tableColumns[name].value} AS ${name}`);
  const joins = new Set(columns.flatMap(({ join }) => join ?? []));
  return `SELECT ${["grants.position", ...values].join(", ")} FROM by_funder AS grants ${[...joins].join(" ")}`;
}

/** SQL of the condition that the filters stand for. */
export function whereSql(filters: Filters, dialect: FilterDialect): string {
  const conditions = filtersIn(filters).flatMap(({ sql }) => sql?.(filters, dialect) ?? []);
  return conditions.join(" AND ") || "1 = 1";
}

/** The condition that the filters stand for, and its values. */
export function filterSql(filters: Filters): { where: string; values: Record<string, DuckDBValue> } {
  const values: Record<string, DuckDBValue> = {};
  const isText = (column: string, condition: (text: string) => string) => {
    const isFiled = attributeFilters.some((filter) => filter.name === column && filter.isFiled);
    const text = isFiled ? canonicalTextSql("text") : "text";
    return `${column} IN (SELECT id FROM ${textsOf(column).table} WHERE ${condition(text)})`;
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
    startsWith(column, value) {
      values[column] = value;
      return isText(column, (text) => `starts_with(${text}, $${column})`);
    },
  });
  return { where, values };
}
