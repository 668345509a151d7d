// Owns the connections to a release's index: so many searches run at once, each on a connection with prepared statements.
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBValue,
} from "@duckdb/node-api";
import pLimit from "p-limit";

/** Searches that run at once; DuckDB uses every core for one, so more would only wait on each other. */
const searchesAtOnce = 2;

/** Bound of DuckDB's buffers in the server. */
const memory = "512MB";

export class Sessions {
  readonly #instance: DuckDBInstance;
  readonly #free: Session[];
  readonly #limit = pLimit(searchesAtOnce);

  private constructor(instance: DuckDBInstance, sessions: Session[]) {
    this.#instance = instance;
    this.#free = sessions;
  }

  /** @param path of `index.duckdb` */
  static async open(path: string): Promise<Sessions> {
    const instance = await DuckDBInstance.create(path, {
      access_mode: "READ_ONLY",
      memory_limit: memory,
      threads: "2",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    const sessions: Session[] = [];
    for (let index = 0; index < searchesAtOnce; index++) sessions.push(new Session(await instance.connect()));
    return new Sessions(instance, sessions);
  }

  /**
   * Runs work on a session of its own, once one is free.
   * @param signal of the one who asked: aborted when nobody waits for the result any more
   */
  use<Result>(work: (session: Session) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#limit(async () => {
      signal?.throwIfAborted();
      const session = this.#free.pop();
      if (session === undefined) throw new Error("more searches run than there are sessions");
      try {
        return await work(session);
      } finally {
        this.#free.push(session);
      }
    });
  }

  close(): void {
    for (const session of this.#free) session.close();
    this.#instance.closeSync();
  }
}

/** A connection with the statements it has prepared: one per plan, of which there are few. */
export class Session {
  readonly #connection: DuckDBConnection;
  readonly #prepared = new Map<string, DuckDBPreparedStatement>();

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** The values of a statement's only column. */
  async readColumn(sql: string, values: Record<string, DuckDBValue>): Promise<readonly DuckDBValue[]> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = await this.#connection.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    statement.clearBindings();
    statement.bind(values);
    const result = await statement.runAndReadAll();
    return result.getColumns()[0] ?? [];
  }

  close(): void {
    this.#connection.closeSync();
  }
}
