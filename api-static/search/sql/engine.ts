// Defines an SQL engine that answers searches instead of the release's own index.
import type { FilterDialect } from "../../contract/filters/filter.ts";
import type { TableColumnName } from "./table.ts";

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
