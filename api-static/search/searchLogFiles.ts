// Lists the files of the log of searches: what a line holds, where the files are, which of them are recent.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AnswerPath } from "./answer.ts";

/** Days that the log is kept and learned from. */
export const searchLogDays = 30;

/** Most bytes of a file that is read: well above what is written, below what DuckDB refuses as one line. */
const readBytesMax = 2 ** 24;

/** A line of the log: equal searches since the writing before, counted, with their milliseconds summed up. */
export type SearchLine = {
  /** Of the first of them. */
  readonly time: string;
  /** The canonical URL of the search, whichever operation was asked; e.g., "/v1/history?purpose=music&limit=100&offset=0". */
  readonly request: string;
  readonly path: AnswerPath;
  readonly count: number;
  readonly milliseconds: number;
  readonly total: number;
};

export function searchLogFolder(data: string): string {
  return join(data, "search-log");
}

/** The days of the log up to that moment: the first one's form in a name. */
export function firstDay(now: Date): string {
  const first = new Date(now.getTime() - searchLogDays * 24 * 60 * 60 * 1000);
  return first.toISOString().slice(0, 10).replaceAll("-", "");
}

/** Names of the log's files, oldest first; none where there is no folder. */
export async function listNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => /^\d{8}T\d{6}Z-\d+\.ndjson$/.test(name)).sort();
}

/** Paths of the log's files of the last days, oldest first. */
export async function listSearchLogs(data: string, now: Date): Promise<string[]> {
  const folder = searchLogFolder(data);
  const paths: string[] = [];
  for (const name of await listNames(folder)) {
    if (name < firstDay(now)) continue;
    const path = join(folder, name);
    const size = await sizeOf(path);
    if (size > 0 && size <= readBytesMax) paths.push(path);
  }
  return paths;
}

/** Bytes of a file; 0 where there is none, as another process may have removed it. */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}
