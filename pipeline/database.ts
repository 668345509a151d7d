// Owns how the pipeline opens DuckDB: bounded memory, threads and spill folder, UTC, no downloads.
import { sep } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

export type DatabaseSettings = {
  /** DuckDB's own bound on its buffers, e.g., "3GB". */
  readonly memory: string;
  readonly threads: number;
  /** Folder that receives what does not fit in memory; DuckDB creates and empties it. */
  readonly spillFolder: string;
};

/** Opens an in-memory database whose tables spill to `spillFolder`; call `closeSync` on both when done. */
export async function openDatabase(
  settings: DatabaseSettings,
): Promise<{ instance: DuckDBInstance; connection: DuckDBConnection }> {
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: settings.memory,
    threads: String(settings.threads),
    temp_directory: settings.spillFolder,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    preserve_insertion_order: "true",
    enable_external_file_cache: "false", // a file that was rewritten must not be answered from memory
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run("SET enable_progress_bar = true; SET enable_progress_bar_print = false");
  return { instance, connection };
}

/** Milliseconds between two looks at a running statement. */
const followInterval = 200;

/**
 * Runs statements one after the other, and tells how many of `total` rows are done by DuckDB's own estimate.
 * @param work runs the statements; each starts again at no row
 */
export async function followRows<Result>(
  connection: DuckDBConnection,
  total: number,
  reach: (rows: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => {
    const share = connection.progress.percentage / 100;
    if (share > 0) reach(Math.min(total, Math.round(share * total)));
  }, followInterval);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Text as it stands inside an SQL string literal: for COPY's target, which takes no bound value. */
export function sqlText(text: string): string {
  return text.replaceAll("'", "''");
}

/** A path as DuckDB's readers take it for itself: to them every path is a glob, and a class of one character stands for that character. */
export function literalPath(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}

/** False for paths that have no literal form: in a glob DuckDB takes `\` for `/`. */
export function hasLiteralPath(path: string): boolean {
  return sep === "\\" || !path.includes("\\") || literalPath(path) === path;
}
