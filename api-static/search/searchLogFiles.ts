// Lists the files of the search log.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AnswerPath } from "./answer.ts";

/** Days that the log is kept, and that a sync learns from. */
export const searchLogDays = 30;

/** Larger files are skipped: the server writes far smaller ones, and DuckDB refuses a line that is longer. */
const maxBytes = 2 ** 24;

/** A line of the log: identical searches since the last write, their number, and their milliseconds in total. */
export type SearchLine = {
  /** When the first of them was answered. */
  readonly time: string;
  /** The canonical URL of the search, whichever operation was used, e.g., "/v1/history?purpose=music&limit=100&offset=0". */
  readonly request: string;
  readonly path: AnswerPath;
  readonly count: number;
  readonly milliseconds: number;
  readonly total: number;
};

export function searchLogFolder(data: string): string {
  return join(data, "search-log");
}

/** The first day of the log to keep, as in file names, e.g., "20261021". */
export function firstDay(now: Date): string {
  const first = new Date(now.getTime() - searchLogDays * 24 * 60 * 60 * 1000);
  return first.toISOString().slice(0, 10).replaceAll("-", "");
}

/** Names of the log's files, oldest first; none if there is no folder. */
export async function listNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => /^\d{8}T\d{6}Z-\d+\.ndjson$/.test(name)).sort();
}

/** Paths of the recent log files, oldest first. */
export async function listSearchLogs(data: string, now: Date): Promise<string[]> {
  const folder = searchLogFolder(data);
  const paths: string[] = [];
  for (const name of await listNames(folder)) {
    if (name < firstDay(now)) continue;
    const path = join(folder, name);
    const size = await sizeOf(path);
    if (size > 0 && size <= maxBytes) paths.push(path);
  }
  return paths;
}

/** The size of a file in bytes; 0 if another process has removed it. */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}
