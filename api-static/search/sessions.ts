// Opens connections to a release's index: one for each running search, each with its prepared statements.
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBResultReader,
  type DuckDBValue,
} from "@duckdb/node-api";
import { SearchQueue } from "./queue.ts";

/** Limit of DuckDB's memory in the server, for each open release. Searches do not spill: one that needs more fails. */
const memory = "512MB";

/** Values of a join's smaller side up to which DuckDB skips row groups of the larger side, instead of reading all of it. */
const maxLookedUp = 5_000;

/** Milliseconds between two interrupts of a query: DuckDB ignores an interrupt that arrives before the query starts. */
const interruptInterval = 10;

export class Sessions {
  readonly #instance: DuckDBInstance;
  readonly queue: SearchQueue;
  readonly #free: Session[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #running = 0;
  #isClosing = false;

  private constructor(instance: DuckDBInstance, queue: SearchQueue) {
    this.#instance = instance;
    this.queue = queue;
  }

  /**
   * @param path of `index.duckdb`
   * @param queue in which searches wait for their turn
   */
  static async open(path: string, queue = new SearchQueue()): Promise<Sessions> {
    const instance = await DuckDBInstance.create(path, {
      access_mode: "READ_ONLY",
      memory_limit: memory,
      temp_directory: "", // else a search spills into the release, which is sealed and may be read-only
      threads: "2",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      dynamic_or_filter_threshold: String(maxLookedUp),
    });
    return new Sessions(instance, queue);
  }

  /**
   * Runs work on a separate session when its turn comes. If the work is given up, its query is interrupted.
   * @param client aborted when nobody waits for the result any more
   * @throws Refusal or ClientGone, as the queue does
   */
  use<Result>(work: (session: Session) => Promise<Result>, client?: AbortSignal): Promise<Result> {
    return this.queue.run((signal) => this.useAtOnce(work, signal), client);
  }

  /** Runs work on a separate session without waiting for a turn: for reads before any search. */
  async useAtOnce<Result>(
    work: (session: Session) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#isClosing) throw new Error("the index is closed");
    this.#running += 1;
    try {
      const session = this.#free.pop() ?? new Session(await this.#instance.connect());
      try {
        session.signal = signal;
        return await work(session);
      } finally {
        session.signal = undefined;
        this.#free.push(session);
      }
    } finally {
      this.#running -= 1;
      if (this.#isClosing && this.#running === 0) this.#closeNow();
    }
  }

  /** Closes the index; resolves when it is closed, after the last query has ended. */
  close(): Promise<void> {
    const isFirst = !this.#isClosing;
    this.#isClosing = true;
    if (isFirst && this.#running === 0) this.#closeNow();
    return this.#closed.promise;
  }

  #closeNow(): void {
    for (const session of this.#free.splice(0)) session.close();
    this.#instance.closeSync();
    this.#closed.resolve();
  }
}

/** The variables that a statement names, all of them integers. */
type Variables = Readonly<Record<string, number>>;

/** SQL that reads a variable. */
export function variable(name: string): string {
  return `getvariable('${name}')`;
}

/** A connection with its prepared statements: one for each plan, of which there are few. */
export class Session {
  /** Aborted when the work that uses the session is given up. */
  signal: AbortSignal | undefined;
  readonly #connection: DuckDBConnection;
  readonly #prepared = new Map<string, DuckDBPreparedStatement>();
  readonly #variables = new Map<string, number>();

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** The values of a statement's only column. */
  async readColumn(sql: string, values: Record<string, DuckDBValue>): Promise<readonly DuckDBValue[]> {
    return (await this.#run(sql, values)).getColumns()[0] ?? [];
  }

  /**
   * The rows of a statement. It is planned again with its variables as constants, so DuckDB skips the row groups whose bounds
   * exclude them; with parameters it would read every row group.
   */
  async readPlannedRows(sql: string, values: Variables): Promise<readonly (readonly DuckDBValue[])[]> {
    for (const [name, value] of Object.entries(values)) await this.#set(name, value);
    const result = await this.#interruptible(() => this.#connection.runAndReadAll(sql));
    return result.getRows();
  }

  /** Sets a variable, by a bound value. */
  async #set(name: string, value: number): Promise<void> {
    if (this.#variables.get(name) === value) return;
    this.#variables.delete(name); // unknown if this fails
    await this.#run(`SET VARIABLE "${name}" = $value::BIGINT`, { value });
    this.#variables.set(name, value);
  }

  async #run(sql: string, values: Record<string, DuckDBValue>): Promise<DuckDBResultReader> {
    const statement = this.#prepared.get(sql) ?? (await this.#connection.prepare(sql));
    this.#prepared.set(sql, statement);
    statement.clearBindings();
    statement.bind(values);
    return this.#interruptible(() => statement.runAndReadAll());
  }

  close(): void {
    this.#connection.closeSync();
  }

  async #interruptible<Result>(query: () => Promise<Result>): Promise<Result> {
    const { signal } = this;
    signal?.throwIfAborted();
    let timer: NodeJS.Timeout | undefined;
    const interrupt = () => {
      this.#connection.interrupt();
      timer = setTimeout(interrupt, interruptInterval);
    };
    signal?.addEventListener("abort", interrupt, { once: true });
    try {
      return await query();
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", interrupt);
    }
  }
}
