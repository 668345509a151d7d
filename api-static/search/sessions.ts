// Owns the connections to a release's index: one for each search that runs, with the statements it has prepared.
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBResultReader,
  type DuckDBValue,
} from "@duckdb/node-api";
import { SearchQueue } from "./queue.ts";

/** Bound of DuckDB's buffers in the server, for each open release. */
const memory = "512MB";

/** Values of a join's smaller side that are looked up in the larger one by its bounds, instead of reading all of it. */
const lookedUpMost = 5_000;

/** Milliseconds between two interrupts of a query: DuckDB forgets one that comes before the query has begun. */
const interruptInterval = 10;

export class Sessions {
  readonly #instance: DuckDBInstance;
  readonly #queue: SearchQueue;
  readonly #free: Session[] = [];
  #running = 0;
  #isClosed = false;

  private constructor(instance: DuckDBInstance, queue: SearchQueue) {
    this.#instance = instance;
    this.#queue = queue;
  }

  /**
   * @param path of `index.duckdb`
   * @param queue that searches take their turn in
   */
  static async open(path: string, queue = new SearchQueue()): Promise<Sessions> {
    const instance = await DuckDBInstance.create(path, {
      access_mode: "READ_ONLY",
      memory_limit: memory,
      threads: "2",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      dynamic_or_filter_threshold: String(lookedUpMost),
    });
    return new Sessions(instance, queue);
  }

  /**
   * Runs work on a session of its own when its turn comes. A query that runs is interrupted when the work is given up.
   * @param client aborted when nobody waits for the result any more
   * @throws what the queue throws: Refusal, ClientGone
   */
  use<Result>(work: (session: Session) => Promise<Result>, client?: AbortSignal): Promise<Result> {
    return this.#queue.run((signal) => this.useAtOnce(work, signal), client);
  }

  /** Runs work on a session of its own without waiting for a turn: for what comes before any search. */
  async useAtOnce<Result>(
    work: (session: Session) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    this.#running += 1;
    let session: Session | undefined;
    try {
      session = this.#free.pop() ?? new Session(await this.#instance.connect());
      session.signal = signal;
      return await work(session);
    } finally {
      this.#running -= 1;
      if (session !== undefined) this.#free.push(session);
      if (this.#isClosed) this.close();
    }
  }

  /** Closes the index, once the last query that was given up has ended. */
  close(): void {
    this.#isClosed = true;
    if (this.#running > 0) return;
    for (const session of this.#free.splice(0)) session.close();
    this.#instance.closeSync();
  }
}

/** What a variable holds: an integer, text, or a list of ids. */
type VariableValue = number | bigint | string | readonly number[];

/** The variables that a statement names. */
export type Variables = Readonly<Record<string, VariableValue>>;

/** SQL that names a variable. */
export function variable(name: string): string {
  return `getvariable('${name}')`;
}

/** A connection with the statements it has prepared: one per plan, of which there are few. */
export class Session {
  /** Aborted when the work that has the session is given up. */
  signal: AbortSignal | undefined;
  readonly #connection: DuckDBConnection;
  readonly #prepared = new Map<string, DuckDBPreparedStatement>();
  readonly #variables = new Map<string, VariableValue>();

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** The values of a statement's only column. */
  async readColumn(sql: string, values: Record<string, DuckDBValue>): Promise<readonly DuckDBValue[]> {
    return (await this.#run(sql, values)).getColumns()[0] ?? [];
  }

  /** The values of each column of a statement; no columns where there are no rows. */
  async readColumns(
    sql: string,
    values: Record<string, DuckDBValue>,
  ): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#run(sql, values)).getColumns();
  }

  /**
   * The values of each column of a statement that is planned anew with its variables as constants: DuckDB then skips the row
   * groups whose bounds leave them out, where with parameters it reads every one.
   */
  async readPlanned(sql: string, values: Variables): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#runPlanned(sql, values)).getColumns();
  }

  /** As `readPlanned`, row by row. */
  async readPlannedRows(sql: string, values: Variables): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#runPlanned(sql, values)).getRows();
  }

  /** Sets a variable, by a bound value. */
  async set(name: string, value: VariableValue): Promise<void> {
    if (this.#variables.get(name) === value) return;
    this.#variables.delete(name); // not known, should this fail
    await this.#run(`SET VARIABLE "${name}" = ${formatBound(value)}`, {
      value: typeof value === "object" ? value.join(",") : value,
    });
    this.#variables.set(name, value);
  }

  async #runPlanned(sql: string, values: Variables): Promise<DuckDBResultReader> {
    for (const [name, value] of Object.entries(values)) await this.set(name, value);
    return this.#interruptible(() => this.#connection.runAndReadAll(sql));
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

/** SQL of a bound value of a variable's type; a list is bound as text, which is faster. */
function formatBound(value: VariableValue): string {
  if (typeof value === "string") return "$value::VARCHAR";
  return typeof value === "object" ? "string_split($value, ',')::UINTEGER[]" : "$value::BIGINT";
}
