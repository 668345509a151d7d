// Chooses what answers searches: the release's own index, its `index.duckdb`, which has every grant without the columns of integers, or ClickHouse.
import { basename } from "node:path";
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import { type Environment, readOneOf, readUrls } from "../../contract/environment.ts";
import type { Records } from "../../release/records.ts";
import type { IndexDatabase } from "../indexDatabase.ts";
import type { OpenEngine } from "../search.ts";
import { openClickHouse } from "./clickhouse.ts";
import { grantsSql, type SqlEngine, type TableColumnName, tableColumnNames } from "./table.ts";

/**
 * @param records gives the lines, which the database does not have
 * @param tableSql gives SQL of the grants' position and the wanted columns
 */
export function duckdbEngine(
  database: Pick<IndexDatabase, "query">,
  records: Records,
  tableSql: (wanted: readonly TableColumnName[]) => string = grantsSql,
): SqlEngine {
  return {
    name: "duckdb",
    line: "position",
    sum: (cents) => `sum(${cents})`,
    page: (limit, offset) => `LIMIT ${limit} OFFSET ${offset}`,
    firstOfEach: (select, columns, order) =>
      `${select} QUALIFY row_number() OVER (PARTITION BY ${columns} ORDER BY ${order}) = 1 ORDER BY ${order}`,
    start() {
      const values: Record<string, DuckDBValue> = {};
      const bind = (value: DuckDBValue) => {
        const name = `value${Object.keys(values).length}`;
        values[name] = value;
        return `$${name}`;
      };
      return {
        contains: (column, patterns) =>
          patterns.map((pattern) => `contains(${column}, ${bind(pattern)})`).join(" AND "),
        equals: (column, value) => `${column} = ${bind(value)}`,
        startsWith: (column, value) => `starts_with(${column}, ${bind(value)})`,
        isOneOf: (column, texts) => `${column} IN (SELECT unnest(${bind(listValue([...texts]))}::VARCHAR[]))`,
        async read(sql, signal) {
          const wanted = tableColumnNames.filter((name) => new RegExp(`\\b${name}\\b`).test(sql));
          const whole = `WITH grants AS (${tableSql(wanted)}) ${sql}`;
          const rows = await database.query(0n, (read) => read(whole, values), signal);
          return rows.map((row) => row.map((value) => (value === null ? null : String(value))));
        },
      };
    },
    readLines: (lines) => records.readLinesInTurns(lines.map(Number)),
  };
}

/** The engine, and the servers of ClickHouse. */
export type EngineSettings = {
  readonly engine: "index" | "duckdb" | "clickhouse";
  readonly clickhouse: readonly URL[];
};

/** @throws SettingError if a setting is wrong, or `CLICKHOUSE_URL` is missing */
export function readEngineSettings(environment: Environment): EngineSettings {
  const engine = readOneOf(environment, "SEARCH_ENGINE", ["index", "duckdb", "clickhouse"], "index");
  const isNamed = engine === "clickhouse" || (environment.CLICKHOUSE_URL ?? "") !== "";
  return { engine, clickhouse: isNamed ? readUrls(environment, "CLICKHOUSE_URL") : [] };
}

/** How to open the engine of a release; undefined for its index. @param report receives what failures of ClickHouse were */
export function chooseEngine(
  { engine, clickhouse }: EngineSettings,
  report: (problem: string) => void,
): OpenEngine | undefined {
  if (engine === "index") return undefined;
  if (engine === "duckdb") return async (_, database, records) => duckdbEngine(database, records);
  return (folder) => openClickHouse(clickhouse, basename(folder), report);
}
