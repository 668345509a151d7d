// Owns the file `index.duckdb` while it is written, whatever its tables: each is drafted as fast as it can be, in a file of its
// own, and copied into the index by another process while the next one is made.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DuckDBConnection } from "@duckdb/node-api";
import { parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../database.ts";

/** The file of a table's draft, beside the index. */
export function draftPath(index: string, table: string): string {
  return `${index}.${table}.draft`;
}

/** Characters kept of what the copying process says when it fails. */
const complaintMost = 2_000;

/** An index that is being written. */
export class IndexFile {
  readonly #connection: DuckDBConnection;
  readonly #path: string;
  readonly #copier: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #complaint = "";

  /** Begins the index of a release's folder. Tables are made over the connection. */
  constructor(connection: DuckDBConnection, folder: string) {
    this.#connection = connection;
    this.#path = join(folder, parts.index);
    const script = fileURLToPath(new URL("./indexFile.settle.ts", import.meta.url));
    // Its memory is filled when it is given out, so that bytes no value uses are the same in every run.
    const env = { ...process.env, DUCKDB_JE_MALLOC_CONF: "junk:alloc", MALLOC_PERTURB_: "165" };
    this.#copier = spawn(process.execPath, [script, this.#path], { env, stdio: ["pipe", "ignore", "pipe"] });
    this.#ended = once(this.#copier, "close");
    this.#ended.catch(() => undefined); // told by `finish`
    this.#copier.stdin?.on("error", () => undefined); // it ended too early, which its code tells
    this.#copier.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(0, complaintMost);
    });
  }

  /** Adds a table of the rows that a query gives, in their order. */
  async add(table: string, query: string): Promise<void> {
    await this.#connection.run("SET force_compression = 'uncompressed'"); // the draft is read once
    await this.#connection.run(`ATTACH '${sqlText(draftPath(this.#path, table))}' AS draft`);
    await this.#connection.run(`CREATE TABLE draft.${table} AS ${query}`);
    await this.#connection.run("DETACH draft");
    this.#copier.stdin?.write(`${table}\n`);
  }

  /**
   * Waits until all tables are copied.
   * @throws Error that says what the copying process said when it failed
   */
  async finish(): Promise<void> {
    this.#copier.stdin?.write("\n");
    const [code, signal] = await this.#ended;
    if (code !== 0) throw new Error(`the index was not written (${signal ?? code}): ${this.#complaint}`);
  }

  /** Ends the copying, whether it is done or not. */
  async close(): Promise<void> {
    this.#copier.kill("SIGKILL");
    await this.#ended.catch(() => undefined);
  }
}
