// Opens DuckDB for the pipeline: limited memory and threads, a spill folder, UTC, no downloads.
import { sep } from "node:path";
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBValue,
} from "@duckdb/node-api";
import { literalPath } from "../../api-static/release/layout.ts";

export { literalPath };

export type DatabaseSettings = {
  /** The memory limit of DuckDB's buffers, e.g., "3GB". */
  readonly memory: string;
  readonly threads: number;
  /** Folder for data that does not fit in memory. DuckDB creates it and removes its own files. */
  readonly spillFolder: string;
  /** A file for tables that do not fit in memory, which exists only as long as the database is open: there they take a fifth of the space. */
  readonly file?: string;
};

export type Database = { readonly instance: DuckDBInstance; readonly connection: DuckDBConnection };

/** Opens a database in memory or in a new file, which spills to `spillFolder`; call `closeSync` on both when done. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const instance = await DuckDBInstance.create(settings.file ?? ":memory:", {
    memory_limit: settings.memory,
    threads: String(settings.threads),
    temp_directory: settings.spillFolder,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    preserve_insertion_order: "true",
    checkpoint_threshold: "0KB", // at every commit: only then new tables can take the place of dropped ones
    enable_external_file_cache: "false", // a file that was rewritten must be read again
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run("SET enable_progress_bar = true; SET enable_progress_bar_print = false");
  return { instance, connection };
}

/** Runs work on a connection of its own, beside the work of others, as `withOwnTables` does. */
export async function withConnection<Result>(
  instance: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await instance.connect();
  try {
    return await withOwnTables(connection, () => work(connection));
  } finally {
    connection.closeSync();
  }
}

/** How many databases of own tables there have been. */
let attached = 0;

/**
 * Runs `work` in an attached database in memory, which may spill and is removed afterwards. In the database's file, its tables would take
 * more than half as much processor time again, for compression. `work` finds all tables by name. After a failure the connection must be closed.
 */
export async function withOwnTables<Result>(
  connection: DuckDBConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  const found = await connection.runAndReadAll("SELECT current_database()");
  const name = String(found.getRows()[0]?.[0]);
  const own = `own_${attached++}`;
  await connection.run(`ATTACH ':memory:' AS ${own}; SET search_path = '${own}.main,"${name}".main'`);
  const result = await work(); // on a full disk, a clean-up here would fail too, and hide why
  await connection.run(`USE "${name}"; DETACH ${own}`);
  return result;
}

/** Milliseconds between two checks of a running statement. */
const followInterval = 200;

/**
 * Runs statements and reports how many of `total` rows are done, by DuckDB's own estimate.
 * @param work runs the statements one after the other; for each of them the estimate starts at 0
 */
export async function followRows<Result>(
  connection: DuckDBConnection,
  total: number,
  onProgress: (rows: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => {
    const fraction = connection.progress.percentage / 100;
    if (fraction > 0) onProgress(Math.min(total, Math.round(fraction * total)));
  }, followInterval);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The number of rows of a table, or of whatever else may follow FROM. */
export async function countRows(
  connection: DuckDBConnection,
  from: string,
  values?: Record<string, DuckDBValue>,
): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${from}`, values);
  return Number(result.getRows()[0]?.[0]);
}

/** Streams the rows of a statement, chunk by chunk, without ever holding all of them. */
export async function* streamChunks(
  connection: DuckDBConnection,
  sql: string,
  values?: Record<string, DuckDBValue>,
): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(sql, values);
  let isRead = false;
  try {
    for (;;) {
      const chunk = await result.fetchChunk();
      isRead = chunk === null || chunk.rowCount === 0;
      if (chunk === null || isRead) return;
      yield chunk;
    }
  } finally {
    if (!isRead) await endStream(connection, result);
  }
}

/**
 * A column of a chunk that has integers and no nulls, as DuckDB gave it: a call for each value takes many times as long. A BIGINT is
 * two integers, the lower half first. The client has these arrays, but its types hide them.
 */
export function integersOf(chunk: DuckDBDataChunk, column: number): Int32Array {
  const vector = chunk.getColumnVector(column);
  const { items } = vector as unknown as { items: unknown };
  if (items instanceof Int32Array) return items;
  if (items instanceof BigInt64Array) return new Int32Array(items.buffer, items.byteOffset, 2 * items.length);
  throw new TypeError(`column ${column} of a chunk is of type ${vector.type}, expected INTEGER or BIGINT`);
}

/** Ends a statement whose rows are not read to the end: it would keep the files of all attached databases open. */
async function endStream(connection: DuckDBConnection, result: DuckDBResult): Promise<void> {
  connection.interrupt();
  try {
    while ((await result.fetchChunk())?.rowCount); // what was computed before the interruption
  } catch {
    // interrupted
  }
}

/** Escapes text for an SQL string literal: the target of COPY cannot be bound. */
export function sqlText(text: string): string {
  return text.replaceAll("'", "''");
}

/** False for paths that cannot be escaped: in a glob, DuckDB reads `\` as `/`. */
export function hasLiteralPath(path: string): boolean {
  return sep === "\\" || !path.includes("\\") || literalPath(path) === path;
}
