// Opens the index of a release for searches: columns for lists of records, DuckDB for summaries and peers.
import { join } from "node:path";
import type { Filters } from "../contract/filters.ts";
import { Columns, textColumns } from "../release/columns.ts";
import { findFunderRow, parts } from "../release/layout.ts";
import type { Records } from "../release/records.ts";
import type { ColumnAnswer } from "./columnSearch.ts";
import type { SearchQueue } from "./queue.ts";
import {
  commonThreads,
  type SearchedFiles,
  type SearchThreads,
  type ThreadAnswer,
  type ThreadRequest,
} from "./searchThreads.ts";
import { Sessions } from "./sessions.ts";

/** What the searches of all open releases share. */
export type SearchSurroundings = {
  /** Searches wait in it for their turn. */
  readonly queue?: SearchQueue;
  /** Searches run in them. */
  readonly threads?: SearchThreads;
  /** Bytes of columns and of the offsets of lines that are held in memory, at most, for each release. */
  readonly heldBytes?: number;
};

/** Bytes of the index that are held in memory unless the server's settings say otherwise. */
export const defaultHeldBytes = 512 * 1024 * 1024;

const ofBothTexts = (...names: readonly string[]) =>
  Object.values(textColumns).flatMap((column) => names.map((name) => `${column}.${name}`));

/** The columns to hold in memory, those first that save most reads per byte. The words must fit, the rest may be on disk. */
const heldColumns = [
  ...ofBothTexts("word.start", "start", "end.offset", "text.start"),
  ...["rank.purpose", "rank.recipient_name", "rank.position"],
  ...ofBothTexts("text.letters", "text.word"),
];

/** Open parts of a release that searches read. */
export type SearchParts = {
  /** The funder table, as in `layout.ts`. */
  readonly funders: Buffer;
  readonly records: Records;
};

/** A page of a search, with the lines of its records. */
export type FoundPage = Pick<ColumnAnswer, "total" | "positions" | "plan"> & { readonly lines: Buffer };

/** The next matches of a walk, and the row from which it goes on; undefined if it has ended. */
export type FoundMatches = Pick<ColumnAnswer, "positions" | "next">;

type PageRequest = Pick<ThreadRequest, "limit" | "offset" | "after" | "isReading">;

export class Search {
  readonly sessions: Sessions;
  readonly #queue: SearchQueue;
  readonly #threads: SearchThreads;
  readonly #files: SearchedFiles;
  readonly #funders: Buffer;
  readonly #running = new Set<Promise<unknown>>();

  private constructor(sessions: Sessions, files: SearchedFiles, funders: Buffer, threads: SearchThreads) {
    this.sessions = sessions;
    this.#queue = sessions.queue;
    this.#threads = threads;
    this.#files = files;
    this.#funders = funders;
  }

  /** @param folder of a release */
  static async open(
    folder: string,
    { funders, records }: SearchParts,
    surroundings: SearchSurroundings = {},
  ): Promise<Search> {
    const { queue, threads = commonThreads, heldBytes = defaultHeldBytes } = surroundings;
    const columns = Columns.open(join(folder, parts.columns));
    try {
      const taken = await records.hold(heldBytes);
      await columns.hold(heldColumns, heldBytes - taken);
      const sessions = await Sessions.open(join(folder, parts.index), queue);
      return new Search(sessions, { columns, records }, funders, threads);
    } catch (error) {
      columns.close();
      throw error;
    }
  }

  /**
   * The total of all records that meet the filters, and one page of them, in result order.
   * @param client aborted when nobody waits for the result any more
   * @throws Refusal or ClientGone, as the queue does
   */
  find(filters: Filters, limit: number, offset: number, client?: AbortSignal): Promise<FoundPage> {
    return this.#find(filters, { limit, offset, isReading: true }, client);
  }

  /** The first `limit` records from a row on that meet the filters, in result order. A walk starts at row 0. */
  walk(filters: Filters, limit: number, after: number, client?: AbortSignal): Promise<FoundMatches> {
    return this.#find(filters, { limit, offset: 0, after }, client);
  }

  #find(filters: Filters, page: PageRequest, client: AbortSignal | undefined): Promise<ThreadAnswer> {
    const { funderEin, recipientEin, ...others } = filters;
    const unknown = { first: 0, records: 0 };
    const eins = {
      ...(funderEin !== undefined && { funder: findFunderRow(this.#funders, Number(funderEin)) ?? unknown }),
      ...(recipientEin !== undefined && { recipientEin: Number(recipientEin) }),
    };
    return this.#queue.run((signal) => {
      const found = this.#threads.find(this.#files, { ...others, ...eins, ...page }, signal);
      this.#running.add(found);
      return found.finally(() => this.#running.delete(found));
    }, client);
  }

  /** Closes the index; resolves when it is closed, after the last search has ended. */
  async close(): Promise<void> {
    await Promise.allSettled([this.sessions.close(), ...this.#running]);
    await this.#threads.close(this.#files);
    this.#files.columns.close();
  }
}
