// Answers searches from the table of a release in ClickHouse: sends statements and rows to its servers over HTTP.
import { lineEnd } from "../../contract/answers/envelope.ts";
import { Refusal } from "../../contract/errors.ts";
import { systemCode } from "../../release/systemErrors.ts";
import { type SqlEngine, type TextRows, tableName } from "./table.ts";

/** What differs from one request to another. */
type Request = { readonly signal?: AbortSignal | undefined; readonly query?: string };

/** A ClickHouse server, which may be one of the shards of a cluster. */
export class ClickHouseServer {
  readonly #url: URL;
  readonly #headers: Record<string, string>;

  /** @param address may have a user, a password and `?database=` @param settings of every statement */
  constructor(address: URL, settings: Readonly<Record<string, string>> = {}) {
    this.#url = new URL(address);
    this.set("wait_end_of_query", "1"); // else a failure may follow the status 200
    for (const [name, value] of Object.entries(settings)) this.set(name, value);
    const { username, password } = address;
    [this.#url.username, this.#url.password] = ["", ""]; // fetch refuses them
    const credentials = [username, password].map(decodeURIComponent).join(":");
    this.#headers =
      username === "" ? {} : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
  }

  /** The address without credentials, for messages. */
  get name(): string {
    return this.#url.origin;
  }

  set(name: string, value: string): void {
    this.#url.searchParams.set(name, value);
  }

  /**
   * The answer to a statement.
   * @param body the statement, or rows for the one in `query`
   * @throws Error that names the server if it does not answer, or refuses
   */
  async post(body: string, { signal, query }: Request = {}): Promise<string> {
    const url = new URL(this.#url);
    if (query !== undefined) url.searchParams.set("query", query);
    let response: Response;
    let text: string;
    try {
      const request = { method: "POST", headers: this.#headers, body };
      response = await fetch(url, { ...request, ...(signal && { signal }) });
      text = await response.text();
    } catch (error) {
      const { cause = error } = error as Error;
      const found = systemCode(cause) ?? String(cause);
      throw new Error(`${this.name} does not answer (${found})`, { cause: error });
    }
    if (response.ok) return text;
    const found = `status ${response.status}, ${text.split("\n")[0]?.slice(0, 500)}`;
    throw new Error(`${this.name} refused a statement (${found})`);
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
