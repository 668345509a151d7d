// Opens the index of a release for searches: columns for lists of records, DuckDB for summaries and peers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Filters } from "../contract/filters.ts";
import { Columns, textColumns } from "../release/columns.ts";
import { findFunderRow, parts } from "../release/layout.ts";
import type { ColumnAnswer, ColumnRequest } from "./columnSearch.ts";
import type { SearchQueue } from "./queue.ts";
import { commonThreads, type SearchThreads } from "./searchThreads.ts";
import { Sessions } from "./sessions.ts";

/** What the searches of all open releases share. */
export type SearchSurroundings = {
  /** Searches wait in it for their turn. */
  readonly queue?: SearchQueue;
  /** Searches run in them. */
  readonly threads?: SearchThreads;
  /** Bytes of columns that are held in memory, at most, for each release. */
  readonly heldBytes?: number;
};

/** Bytes of columns that are held in memory unless the server's settings say otherwise. */
export const defaultHeldBytes = 256 * 1024 * 1024;

/** The columns to hold in memory, those first that save most reads per byte. The words must fit, the rest may be on disk. */
const heldColumns = [
  ...Object.values(textColumns).flatMap((column) =>
    ["word.start", "start", "end.offset", "text.start"].map((name) => `${column}.${name}`),
  ),
  "rank.purpose",
  "rank.recipient_name",
];

/** A page of a search. */
export type FoundPage = Pick<ColumnAnswer, "total" | "positions" | "plan">;

/** The next matches of a walk, and the row from which it goes on; undefined if it has ended. */
export type FoundMatches = Pick<ColumnAnswer, "positions" | "next">;

/** The searches of one request. They share a place in the queue and a time limit. */
export type SearchTurn = {
  /** The total of all records that meet the filters, and the positions of one page of them, in result order. */
  find(filters: Filters, limit: number, offset: number): Promise<FoundPage>;
  /** The first `limit` records from a row on that meet the filters, in result order. A walk starts at row 0. */
  walk(filters: Filters, limit: number, after: number): Promise<FoundMatches>;
};

export class Search {
  readonly sessions: Sessions;
  readonly #queue: SearchQueue;
  readonly #threads: SearchThreads;
  readonly #columns: Columns;
  readonly #funders: Buffer;
  readonly #running = new Set<Promise<unknown>>();

  private constructor(sessions: Sessions, columns: Columns, funders: Buffer, threads: SearchThreads) {
    this.sessions = sessions;
    this.#queue = sessions.queue;
    this.#threads = threads;
    this.#columns = columns;
    this.#funders = funders;
  }

  /** @param folder of a release */
  static async open(folder: string, surroundings: SearchSurroundings = {}): Promise<Search> {
    const { queue, threads = commonThreads, heldBytes = defaultHeldBytes } = surroundings;
    const funders = readFileSync(join(folder, parts.funders));
    const columns = Columns.open(join(folder, parts.columns));
    try {
      columns.hold(heldColumns, heldBytes);
      return new Search(await Sessions.open(join(folder, parts.index), queue), columns, funders, threads);
    } catch (error) {
      columns.close();
      throw error;
    }
  }

  /**
   * Runs all searches of one request in one turn, so they share one time limit.
   * @param client aborted when nobody waits for the result any more
   * @throws Refusal or ClientGone, as the queue does
   */
  takeTurn<Result>(work: (turn: SearchTurn) => Promise<Result>, client?: AbortSignal): Promise<Result> {
    return this.#queue.run((signal) => {
      const run = (filters: Filters, page: Pick<ColumnRequest, "limit" | "offset" | "after">) =>
        this.#find(filters, page, signal);
      return work({
        find: (filters, limit, offset) => run(filters, { limit, offset }),
        walk: (filters, limit, after) => run(filters, { limit, offset: 0, after }),
      });
    }, client);
  }

  /** The total of all records that meet the filters, and the positions of one page of them, in a separate turn. */
  find(filters: Filters, limit: number, offset: number): Promise<FoundPage> {
    return this.takeTurn((turn) => turn.find(filters, limit, offset));
  }

  async #find(
    { funderEin, recipientEin, ...filters }: Filters,
    page: Pick<ColumnRequest, "limit" | "offset" | "after">,
    signal: AbortSignal,
  ): Promise<ColumnAnswer> {
    const funder = funderEin === undefined ? undefined : findFunderRow(this.#funders, Number(funderEin));
    if (funderEin !== undefined && funder === undefined)
      return { total: 0, positions: [], next: undefined, plan: "none" };
    const eins = {
      ...(funder === undefined ? {} : { funder }),
      ...(recipientEin === undefined ? {} : { recipientEin: Number(recipientEin) }),
    };
    const found = this.#threads.find(this.#columns, { ...filters, ...eins, ...page }, signal);
    this.#running.add(found);
    return found.finally(() => this.#running.delete(found));
  }

  /** Closes the index; resolves when it is closed, after the last search has ended. */
  async close(): Promise<void> {
    await Promise.allSettled([this.sessions.close(), ...this.#running]);
    await this.#threads.close(this.#columns);
    this.#columns.close();
  }
}
