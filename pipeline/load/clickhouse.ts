// Sends statements and rows to a ClickHouse server over HTTP.
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "../base/failure.ts";

/** A ClickHouse server, which may be one of the shards of a cluster. */
export class ClickHouse {
  readonly #url: URL;
  readonly #headers: Record<string, string>;

  /** @param address may have a user, a password and `?database=` */
  constructor(address: URL) {
    this.#url = new URL(address);
    this.#url.searchParams.set("wait_end_of_query", "1"); // else a failure may follow the status 200
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

  /** The rows of a statement, each a list of texts. @throws InputError if the server does not answer, or refuses */
  async query(sql: string): Promise<string[][]> {
    const text = await this.#post(this.#url, sql);
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("\t"));
  }

  /** The only value of a statement. @throws InputError as above */
  async value(sql: string): Promise<string> {
    return (await this.query(sql))[0]?.[0] ?? "";
  }

  /** Inserts rows. @param sql ends with the format of `rows` @throws InputError as above */
  async insert(sql: string, rows: string): Promise<void> {
    const url = new URL(this.#url);
    url.searchParams.set("query", sql);
    await this.#post(url, rows);
  }

  async #post(url: URL, body: string): Promise<string> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { method: "POST", headers: this.#headers, body });
      text = await response.text();
    } catch (error) {
      const { cause = error } = error as Error;
      const found = systemCode(cause) ?? String(cause);
      throw new InputError(`CLICKHOUSE_URL: ${this.name} does not answer (${found})`, { cause: error });
    }
    if (response.ok) return text;
    const found = `status ${response.status}, ${text.split("\n")[0]?.slice(0, 500)}`;
    throw new InputError(`CLICKHOUSE_URL: ${this.name} refused a statement (${found})`);
  }
}
