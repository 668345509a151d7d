// Sends statements and rows to a ClickHouse server over HTTP.
import { systemCode } from "../../release/systemErrors.ts";
import type { TextRows } from "./engine.ts";

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
