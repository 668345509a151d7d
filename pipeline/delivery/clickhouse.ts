// Fills tables of a ClickHouse server.
import type { TextRows } from "../../api-static/search/sql/engine.ts";
import { ClickHouseServer, parseRows } from "../../api-static/search/sql/server.ts";
import { InputError } from "../base/failure.ts";

/** A server that is loaded. Its failures are wrong inputs: the setting names it. */
export class ClickHouse {
  readonly #server: ClickHouseServer;

  constructor(address: URL) {
    this.#server = new ClickHouseServer(address);
  }

  get name(): string {
    return this.#server.name;
  }

  /** The rows of a statement. @throws InputError if the server does not answer, or refuses */
  async query(sql: string): Promise<TextRows> {
    return parseRows(await this.#post(sql));
  }

  /** The only value of a statement. @throws InputError as above */
  async value(sql: string): Promise<string> {
    return (await this.query(sql))[0]?.[0] ?? "";
  }

  /** Inserts rows. @param sql ends with the format of `rows` @throws InputError as above */
  async insert(sql: string, rows: string): Promise<void> {
    await this.#post(rows, sql);
  }

  #post(body: string, query?: string): Promise<string> {
    return this.#server.post(body, query === undefined ? {} : { query }).catch((error: Error) => {
      throw new InputError(`CLICKHOUSE_URL: ${error.message}`, { cause: error });
    });
  }
}
