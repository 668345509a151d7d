// Answers searches from the table of a release in ClickHouse, over HTTP.

import { lineEnd } from "../../contract/envelope.ts";
import { Refusal } from "../../contract/errors.ts";
import type { SqlEngine, TextRows } from "./engine.ts";
import { tableName } from "./table.ts";

/** Seconds after which a refused client may ask again. */
const retryAfter = 5;

/** Settings of every statement: nothing is changed, no failure follows the status, none runs longer than any search may, and lists are long. */
const settings = {
  ...{ readonly: "2", wait_end_of_query: "1", max_execution_time: "600" },
  ...{ max_query_size: "16777216", max_ast_elements: "1000000", max_expanded_ast_elements: "1000000" },
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
  const servers = urls.map((url) => new Server(url));
  const table = tableName(release);
  const read = async (sql: string, signal?: AbortSignal): Promise<TextRows> => {
    for (const server of servers) {
      try {
        return await server.read(sql, signal);
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
    sum: "sum(toDecimal128(amount_cents, 0))",
    page: (limit, offset) => `LIMIT ${offset}, ${limit}`,
    firstOfEach: (select, columns, order) => `${select} ORDER BY ${order} LIMIT 1 BY ${columns}`,
    start: () => ({
      contains: (column, patterns) => patterns.map((pattern) => likeSql(column, pattern)).join(" AND "),
      equals: (column, value) => `${column} = ${textSql(value)}`,
      isOneOf: (column, texts) => `${column} IN (${texts.map(textSql).join(", ")})`,
      read: (sql, signal) => read(sql.replaceAll("FROM grants", `FROM ${table}`), signal),
    }),
    readLines: async (lines) => Buffer.from(lines.map((line) => line + lineEnd).join("")),
  };
}

class Server {
  readonly #url: URL;
  readonly #headers: Record<string, string>;

  constructor(address: URL) {
    this.#url = new URL(address);
    for (const [name, value] of Object.entries(settings)) this.set(name, value);
    const { username, password } = address;
    [this.#url.username, this.#url.password] = ["", ""]; // fetch refuses them
    const credentials = [username, password].map(decodeURIComponent).join(":");
    this.#headers =
      username === "" ? {} : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
  }

  set(name: string, value: string): void {
    this.#url.searchParams.set(name, value);
  }

  /** @throws Error that names the server if it does not answer, or refuses */
  async read(sql: string, signal?: AbortSignal): Promise<TextRows> {
    const request = { method: "POST", headers: this.#headers, body: sql, ...(signal && { signal }) };
    const response = await fetch(this.#url, request).catch((error: Error) => {
      throw new Error(`${this.#url.origin} does not answer: ${error.cause ?? error.message}`);
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${this.#url.origin} refused a statement: ${text.slice(0, 500)}`);
    return parseRows(text);
  }
}

/** Rows in ClickHouse's format TabSeparated. */
export function parseRows(text: string): TextRows {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t").map(parseCell));
}

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f", 0: "\0" };

function parseCell(cell: string): string | null {
  if (cell === "\\N") return null;
  return cell.includes("\\") ? cell.replace(/\\(.)/g, (_, letter) => escapes[letter] ?? letter) : cell;
}
