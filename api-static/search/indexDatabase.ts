// Queries the `index.duckdb` of releases for summaries and peers.
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue, listValue } from "@duckdb/node-api";

/** Limit of DuckDB's memory (MB). Queries do not spill: one that needs more fails. */
export const databaseMegabytes = 512;

/** Milliseconds between two interrupts of a query: DuckDB ignores an interrupt that arrives before the query starts. */
const interruptInterval = 10;

export type Rows = readonly (readonly DuckDBValue[])[];

/** The EIN or the id that statements are about, or a list of several numbers. */
export type QueryKey = bigint | readonly bigint[];

/** Reads the rows of a statement about one key, with further values bound to it. */
export type ReadRows = (sql: string, values?: Record<string, DuckDBValue>) => Promise<Rows>;

/** SQL of the key. */
export const keySql = "getvariable('key')";

const settings = {
  memory_limit: `${databaseMegabytes}MB`,
  temp_directory: "", // else a query spills into the working directory
  threads: "2",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  disable_database_invalidation: "true", // else a fatal error in one release stops the queries of all
};

/** One DuckDB for the databases of all releases, so that its memory is bounded once. It is closed with the last of them. */
export class IndexDatabases {
  #instance: Promise<DuckDBInstance> | undefined;
  #open = 0;
  #attached = 0;

  /** @param path of an `index.duckdb` that is not open here */
  async open(path: string): Promise<IndexDatabase> {
    this.#open += 1;
    try {
      this.#instance ??= DuckDBInstance.create(":memory:", settings);
      const instance = await this.#instance;
      const name = `release_${++this.#attached}`;
      await runOnce(instance, `ATTACH '${path.replaceAll("'", "''")}' AS ${name} (READ_ONLY)`);
      return new IndexDatabase(instance, name, () => this.#leave());
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#instance?.then(
      (instance) => instance.closeSync(),
      () => undefined, // it was not created
    );
    this.#instance = undefined;
  }
}

export class IndexDatabase {
  readonly #instance: DuckDBInstance;
  readonly #name: string;
  readonly #onClosed: () => void;

  constructor(instance: DuckDBInstance, name: string, onClosed: () => void) {
    this.#instance = instance;
    this.#name = name;
    this.#onClosed = onClosed;
  }

  /**
   * Runs work on a connection of its own.
   * @param signal interrupts the statement that runs, and prevents further ones
   */
  async query<Result>(
    key: QueryKey,
    work: (read: ReadRows) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const connection = await this.#instance.connect();
    try {
      // A variable is a constant when a statement is planned, so DuckDB skips the row groups whose bounds exclude it. With a
      // parameter it would read every row group.
      await connection.run(`USE ${this.#name}`);
      if (typeof key === "bigint") await connection.run("SET VARIABLE key = $key::BIGINT", { key });
      else await connection.run("SET VARIABLE key = $key::BIGINT[]", { key: listValue([...key]) });
      return await work((sql, values) => readRows(connection, signal, sql, values));
    } finally {
      connection.closeSync();
    }
  }

  /** Closes the database. No query may be running. */
  async close(): Promise<void> {
    try {
      await runOnce(this.#instance, `DETACH ${this.#name}`);
    } finally {
      this.#onClosed();
    }
  }
}

async function runOnce(instance: DuckDBInstance, sql: string): Promise<void> {
  const connection = await instance.connect();
  try {
    await connection.run(sql);
  } finally {
    connection.closeSync();
  }
}

async function readRows(
  connection: DuckDBConnection,
  signal: AbortSignal,
  ...statement: Parameters<ReadRows>
): Promise<Rows> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setTimeout(interrupt, interruptInterval);
  };
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    return (await connection.runAndReadAll(...statement)).getRows();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
}
