// Owns the log of searches: what was asked, how often and how long it took, and nothing of who asked.
import { appendFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { href } from "../../contract/pageKeys.ts";
import type { HistoryRequest } from "../../contract/request.ts";
import type { AnswerPath } from "../../search/answer.ts";
import {
  firstDay,
  listNames,
  type SearchLine,
  searchLogFolder,
  sizeOf,
} from "../../search/searchLogFiles.ts";

/** Milliseconds between two writings of what was asked meanwhile. */
export const searchLogInterval = 5_000;

/** What keeps the log small, whatever is asked and however slow the disk is. */
export type SearchLogBounds = {
  /** Different searches that wait to be written; more are dropped and counted. */
  readonly waiting: number;
  /** Bytes after which a new file begins. A single write may exceed it. */
  readonly fileBytes: number;
  /** Bytes of all files; the oldest are removed. */
  readonly folderBytes: number;
};

const defaultBounds: SearchLogBounds = { waiting: 1_000, fileBytes: 2 ** 22, folderBytes: 2 ** 26 };

/** An answer to a search. */
export type Searched = {
  readonly request: HistoryRequest;
  readonly path: AnswerPath;
  readonly milliseconds: number;
  readonly total: number;
};

/** Name of a file that a process begins at that moment; names sort by day. */
function formatName(moment: Date): string {
  const time = moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `${time}Z-${process.pid}.ndjson`; // e.g., "20261120T230000Z-4711.ndjson"
}

/**
 * Writes what is asked into files of one process; any number of processes may write into the same folder. A failure to
 * write is told once and loses lines; it never reaches those who ask.
 */
export class SearchLog {
  readonly #folder: string;
  readonly #clock: () => Date;
  readonly #tell: (line: string) => void;
  readonly #bounds: SearchLogBounds;
  #waiting = new Map<string, { -readonly [Key in keyof SearchLine]: SearchLine[Key] }>();
  #dropped = 0;
  #file = { path: "", day: "", bytes: 0 };
  #writing: Promise<void> | undefined;
  #isFailing = false;

  /** @param tell told when the log cannot be written */
  constructor(
    data: string,
    clock: () => Date,
    tell: (line: string) => void,
    bounds: SearchLogBounds = defaultBounds,
  ) {
    this.#folder = searchLogFolder(data);
    this.#clock = clock;
    this.#tell = tell;
    this.#bounds = bounds;
  }

  note({ request, path, milliseconds, total }: Searched): void {
    const url = href({ ...request, scope: "search" });
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

  /** Writes what waits; one writing at a time. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Writes all that was noted. */
  async end(): Promise<void> {
    await this.flush();
    await this.flush(); // what came while the first was under way
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const lines = [...this.#waiting.values()];
    const dropped = this.#dropped;
    this.#waiting = new Map();
    this.#dropped = 0;
    try {
      const text = formatLines(lines, dropped, this.#clock());
      await appendFile(await this.#findFile(text.length), text);
      this.#file.bytes += text.length;
      this.#isFailing = false;
    } catch (error) {
      this.#dropped += dropped + lines.reduce((sum, { count }) => sum + count, 0);
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isFailing)
        this.#tell(`searches are not logged until ${this.#folder} can be written: ${reason}`);
      this.#isFailing = true;
    }
  }

  /** The file to write to: another one each day, and where the last one would grow too large. */
  async #findFile(bytes: number): Promise<string> {
    const now = this.#clock();
    const day = now.toISOString().slice(0, 10);
    if (this.#file.day === day && this.#file.bytes + bytes <= this.#bounds.fileBytes) return this.#file.path;
    await mkdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await this.#prune(now);
    this.#file = { path: join(this.#folder, formatName(now)), day, bytes: 0 };
    return this.#file.path;
  }

  /** Removes files that are too old, and the oldest where all are too large, so that a new one fits. */
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
