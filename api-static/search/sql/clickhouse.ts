// Answers searches from the table of a release in ClickHouse, over HTTP.

import { lineEnd } from "../../contract/envelope.ts";
import { Refusal } from "../../contract/errors.ts";
import type { SqlEngine, TextRows } from "./engine.ts";
import { ClickHouseServer, parseRows } from "./server.ts";
import { tableName } from "./table.ts";

/** Seconds after which a refused client may ask again. */
const retryAfter = 5;

/** Settings of every statement: nothing is changed, none runs longer than any search may, and lists are long. */
const settings = {
  readonly: "2",
  max_execution_time: "600",
  max_query_size: "16777216",
  max_ast_elements: "1000000",
  max_expanded_ast_elements: "1000000",
};

/** Ends the statements of closed connections, where the version can. */
const cancelSetting = "cancel_http_readonly_queries_on_client_close";

/** A text as digits, which nothing in it can end. */
const textSql = (text: string) => `unhex('${Buffer.from(text).toString("hex")}')`;

const likeSql = (column: string, pattern: string) =>
  `${column} LIKE ${textSql(`%${pattern.replace(/[\\%_]/g, "\\$&")}%`)}`;

/**
 * Opens the table of a release.
 * @param urls servers that have it; the first that can be reached is asked
 * @param report receives what a failure was
 * @throws Error if no server has the table, which exists only when it is complete
 */
export async function openClickHouse(
  urls: readonly URL[],
  release: string,
  report: (problem: string) => void,
): Promise<SqlEngine> {
  const servers = urls.map((url) => new ClickHouseServer(url, settings));
  const table = tableName(release);
  const read = async (sql: string, signal?: AbortSignal): Promise<TextRows> => {
    for (const server of servers) {
      try {
        return parseRows(await server.post(sql, { signal }));
      } catch (error) {
        signal?.throwIfAborted();
        report((error as Error).message);
      }
    }
    const message = "the search engine cannot be reached; try again in a few seconds";
    throw new Refusal({ code: "overloaded", message, retryAfter });
  };
  if ((await read(`EXISTS TABLE ${table}`))[0]?.[0] !== "1")
    throw new Error(`CLICKHOUSE_URL: there is no table ${table}; run \`make load TO=clickhouse\``);
  const cancels = await read(`SELECT name FROM system.settings WHERE name = '${cancelSetting}'`);
  for (const server of cancels.length > 0 ? servers : []) server.set(cancelSetting, "1");
  return clickhouseEngine(table, read);
}

/** An engine that reads a table. @param read runs a statement */
export function clickhouseEngine(
  table: string,
  read: (sql: string, signal: AbortSignal) => Promise<TextRows>,
): SqlEngine {
  return {
    name: "clickhouse",
    line: "line",
    sum: (cents) => `sum(toDecimal128(${cents}, 0))`,
    page: (limit, offset) => `LIMIT ${offset}, ${limit}`,
    firstOfEach: (select, columns, order) => `${select} ORDER BY ${order} LIMIT 1 BY ${columns}`,
    start: () => ({
      contains: (column, patterns) => patterns.map((pattern) => likeSql(column, pattern)).join(" AND "),
      equals: (column, value) => `${column} = ${textSql(value)}`,
      startsWith: (column, value) => `startsWith(${column}, ${textSql(value)})`,
      isOneOf: (column, texts) => `${column} IN (${texts.map(textSql).join(", ")})`,
      read: (sql, signal) => read(sql.replaceAll("FROM grants", `FROM ${table}`), signal),
    }),
    readLines: async (lines) => Buffer.from(lines.map((line) => line + lineEnd).join("")),
  };
}
