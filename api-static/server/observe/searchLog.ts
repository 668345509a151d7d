// Writes the search log: what was searched, how often and how long it took, but nothing about the client.
import { appendFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HistoryRequest, TotalsRequest } from "../../contract/operations/searches.ts";
import { href, totalsHref } from "../../contract/operations/searches.ts";
import type { AnswerPath } from "../../search/answer.ts";
import {
  firstDay,
  listNames,
  type SearchLine,
  searchLogFolder,
  sizeOf,
} from "../../search/searchLogFiles.ts";

/** Milliseconds between two writes. */
export const searchLogInterval = 5_000;

/** Limits that keep the log small, whatever clients search for and however slow the disk is. */
export type SearchLogBounds = {
  /** Different searches that wait to be written. Further ones are dropped and counted. */
  readonly waiting: number;
  /** Bytes after which a new file starts. A single write may exceed it. */
  readonly fileBytes: number;
  /** Bytes of all files. Beyond that the oldest are removed. */
  readonly folderBytes: number;
};

const defaultBounds: SearchLogBounds = { waiting: 1_000, fileBytes: 2 ** 22, folderBytes: 2 ** 26 };

/** A search that was answered. */
export type AnsweredSearch = {
  readonly request: HistoryRequest | TotalsRequest;
  readonly path: AnswerPath;
  readonly milliseconds: number;
  readonly total: number;
};

/** The name of a file that this process starts at a moment. Names sort by day. */
function formatName(moment: Date): string {
  const time = moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `${time}Z-${process.pid}.ndjson`; // e.g., "20261120T230000Z-4711.ndjson"
}

/**
 * Writes searches to files of this process; several processes may write to the same folder. A failed write is reported once
 * and loses its lines, but does not affect clients.
 */
export class SearchLog {
  readonly #folder: string;
  readonly #clock: () => Date;
  readonly #warn: (line: string) => void;
  readonly #bounds: SearchLogBounds;
  #waiting = new Map<string, { -readonly [Key in keyof SearchLine]: SearchLine[Key] }>();
  #dropped = 0;
  #file = { path: "", day: "", bytes: 0 };
  #writing: Promise<void> | undefined;
  #isFailing = false;

  /** @param warn called when the log cannot be written */
  constructor(
    data: string,
    clock: () => Date,
    warn: (line: string) => void,
    bounds: SearchLogBounds = defaultBounds,
  ) {
    this.#folder = searchLogFolder(data);
    this.#clock = clock;
    this.#warn = warn;
    this.#bounds = bounds;
  }

  /** Adds a search to those that wait to be written. */
  note({ request, path, milliseconds, total }: AnsweredSearch): void {
    const scope = request.filters.matched === undefined ? "search" : request.scope;
    const url = request.kind === "totals" ? totalsHref({ ...request, scope }) : href({ ...request, scope });
    const key = `${path} ${url}`;
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.milliseconds += milliseconds;
    } else if (this.#waiting.size < this.#bounds.waiting) {
      const time = this.#clock().toISOString();
      this.#waiting.set(key, { time, request: url, path, count: 1, milliseconds, total });
    } else {
      this.#dropped += 1;
    }
  }

  /** Writes the waiting searches; one write at a time. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Writes everything that was noted. */
  async end(): Promise<void> {
    await this.flush();
    await this.flush(); // searches noted during the first write
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const lines = [...this.#waiting.values()];
    const dropped = this.#dropped;
    this.#waiting = new Map();
    this.#dropped = 0;
    try {
      const text = formatLines(lines, dropped, this.#clock());
      await appendFile(await this.#findFile(text.length), text, { mode: 0o640 });
      this.#file.bytes += text.length;
      this.#isFailing = false;
    } catch (error) {
      this.#dropped += dropped + lines.reduce((sum, { count }) => sum + count, 0);
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isFailing)
        this.#warn(`searches are not logged until ${this.#folder} is writable: ${reason}`);
      this.#isFailing = true;
    }
  }

  /** The file to write to: a new one each day, and when the last one would grow too large. */
  async #findFile(bytes: number): Promise<string> {
    const now = this.#clock();
    const day = now.toISOString().slice(0, 10);
    if (this.#file.day === day && this.#file.bytes + bytes <= this.#bounds.fileBytes) return this.#file.path;
    await mkdir(this.#folder, 0o750).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await this.#prune(now);
    this.#file = { path: join(this.#folder, formatName(now)), day, bytes: 0 };
    return this.#file.path;
  }

  /** Removes files that are too old, and the oldest ones until a new file fits. */
  async #prune(now: Date): Promise<void> {
    let left = this.#bounds.folderBytes - this.#bounds.fileBytes;
    for (const name of (await listNames(this.#folder)).reverse()) {
      const path = join(this.#folder, name);
      left -= await sizeOf(path);
      if (name < firstDay(now) || left < 0) await rm(path, { force: true });
    }
  }
}

function formatLines(lines: readonly SearchLine[], dropped: number, now: Date): string {
  const rounded = lines.map((line) => ({ ...line, milliseconds: Math.round(line.milliseconds * 100) / 100 }));
  const others = dropped === 0 ? [] : [{ time: now.toISOString(), dropped }];
  return [...rounded, ...others].map((line) => `${JSON.stringify(line)}\n`).join("");
}
