// Opens the index of a release for searches: columns for lists of records, DuckDB for summaries and peers.
import { join } from "node:path";
import type { Ein } from "../contract/ein.ts";
import { indexedFilters } from "../contract/filters/attributes.ts";
import type { Filters } from "../contract/filters.ts";
import type { Sum } from "../contract/text/amount.ts";
import { Columns, textColumns } from "../release/columns.ts";
import { findFunderIndex, findFunderRow, funderRowBytes, parts } from "../release/layout.ts";
import type { Records } from "../release/records.ts";
import type { ColumnAnswer, ColumnFilters } from "./columnSearch.ts";
import type { FoundGroups, GroupsWanted } from "./groupSearch.ts";
import { type IndexDatabase, IndexDatabases, type QueryKey, type ReadRows } from "./indexDatabase.ts";
import type { SearchClient, SearchQueue } from "./queue.ts";
import {
  commonThreads,
  type FoundPage,
  type SearchedFiles,
  type ThreadPools,
  type ThreadRequest,
} from "./searchThreads.ts";
import { SqlGroups } from "./sql/groups.ts";
import { findBySql, type SqlPlace, walkBySql } from "./sql/search.ts";
import type { SqlEngine } from "./sql/table.ts";

/** Shared by the searches of all open releases. */
export type SearchSurroundings = {
  /** Searches, totals and groups run in them, and wait in their queues. */
  readonly threads?: ThreadPools | undefined;
  /** Holds the databases. A release that is open already cannot share them. */
  readonly databases?: IndexDatabases;
  /** Bytes of the index to hold in memory. */
  readonly heldBytes?: number;
  /** Opens what answers by SQL instead of the columns of the index. */
  readonly openEngine?: OpenEngine | undefined;
};

/** @param folder of the release */
export type OpenEngine = (folder: string, database: IndexDatabase, records: Records) => Promise<SqlEngine>;

/** Bytes of the index that are held in memory by default. */
const defaultHeldBytes = 512 * 1024 * 1024;

const ofBothTexts = (...names: readonly string[]) =>
  Object.values(textColumns).flatMap((column) => names.map((name) => `${column}.${name}`));

/** The columns to hold in memory, ordered by reads saved per byte. Columns that do not fit are read from disk. */
const heldColumns = [
  ...ofBothTexts("word.start", "start", "end.offset", "text.start"),
  "rank.purpose",
  "rank.recipient_name",
  "rank.position",
  ...indexedFilters.flatMap((filter) => ("startOf" in filter ? [] : `rank.${filter.name}`)),
  ...ofBothTexts("text.letters", "text.word"),
  "recipient_name.order",
];

/** The next matches of a walk, and the row from which it continues; undefined if it has ended. */
export type FoundMatches = Pick<ColumnAnswer, "positions" | "matches"> & {
  readonly next: WalkPlace | undefined;
  /** The JSON of the matches, if SQL found them. It gives no positions. */
  readonly json?: readonly string[];
};

/** Where a walk continues: the next row, or the last match. */
export type WalkPlace = number | SqlPlace;

type PageRequest = Pick<ThreadRequest, "limit" | "offset" | "sort" | "after" | "isReading">;

export class Search {
  readonly #database: IndexDatabase;
  readonly #threads: ThreadPools;
  readonly #files: SearchedFiles;
  readonly #engine: SqlEngine | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #heldBytes = 0;

  private constructor(
    database: IndexDatabase,
    files: SearchedFiles,
    threads: ThreadPools,
    engine: SqlEngine | undefined,
  ) {
    this.#database = database;
    this.#engine = engine;
    this.#threads = threads;
    this.#files = files;
  }

  /** @param folder of a release */
  static async open(
    folder: string,
    { funders, records }: { readonly funders: Buffer; readonly records: Records },
    {
      threads = commonThreads,
      databases = new IndexDatabases(),
      heldBytes = defaultHeldBytes,
      openEngine,
    }: SearchSurroundings = {},
  ): Promise<Search> {
    const columns = Columns.open(join(folder, parts.columns));
    let database: IndexDatabase | undefined;
    try {
      database = await databases.open(join(folder, parts.index));
      const engine = await openEngine?.(folder, database, records);
      const search = new Search(database, { columns, records, funders }, threads, engine);
      await search.hold(heldBytes);
      return search;
    } catch (error) {
      await database?.close();
      columns.close();
      throw error;
    }
  }

  /** Bytes of the index that are held in memory. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Holds as much of the index in memory as fits in `bytes`, and no more of it than that. The rest is read from disk. */
  async hold(bytes: number): Promise<void> {
    const { columns, records } = this.#files;
    const taken = await records.hold(bytes);
    const held = this.#engine === undefined ? heldColumns : [];
    this.#heldBytes = taken + (await columns.hold(held, bytes - taken));
    await this.#closeThreads(); // they open the release again, with what is held now
  }

  /** True while threads search or add up totals, for any release that shares them. */
  get isBusy(): boolean {
    return this.#threads.search.queue.running + this.#threads.totals.queue.running > 0;
  }

  /** What answers instead of the index, if anything does. */
  get engine(): SqlEngine["name"] | undefined {
    return this.#engine?.name;
  }

  /** True if a grant names this recipient, or if it is the likely recipient of one. */
  hasRecipient(ein: Ein): boolean {
    const { columns } = this.#files;
    return ["recipient.ein", "likely.ein"].some(
      (name) => columns.column(name).find(Number(ein)) !== undefined,
    );
  }

  /** Whether searches, totals and groups can be answered. It tries small ones, but only if the last one failed. */
  async isAnswering(): Promise<boolean> {
    if (!this.#threads.search.isFailing && !this.#threads.totals.isFailing) return true;
    const small = [this.find({}, 1, 0), this.findTotals({ funderEin: "000000000" as Ein })];
    return (await Promise.allSettled(small)).every(({ status }) => status === "fulfilled");
  }

  /**
   * The total of all records that meet the filters, and one page of them, in result order or by amount.
   * @throws Refusal or ClientGone, as the queue does
   */
  find(
    filters: Filters,
    limit: number,
    offset: number,
    client?: SearchClient,
    sort?: "amount",
  ): Promise<FoundPage> {
    const page = { limit, offset, ...(sort && { sort }) };
    const engine = this.#engine;
    if (engine === undefined) return this.#find(filters, { ...page, isReading: true }, client);
    return this.#run(
      this.#threads.search.queue,
      async (signal) => ({
        ...(await findBySql(engine, filters, page, signal)),
        positions: [],
        next: undefined,
        plan: engine.name,
      }),
      client,
    );
  }

  /** The first `limit` records from a place on that meet the filters, in result order. A walk starts at row 0. */
  walk(filters: Filters, limit: number, after: WalkPlace, client?: SearchClient): Promise<FoundMatches> {
    const engine = this.#engine;
    if (engine === undefined) return this.#find(filters, { limit, offset: 0, after: Number(after) }, client);
    const last = typeof after === "number" ? undefined : after;
    return this.#run(
      this.#threads.search.queue,
      async (signal) => ({ ...(await walkBySql(engine, filters, limit, last, signal)), positions: [] }),
      client,
    );
  }

  /** The totals of all records that meet the filters: their sum, and the body of the answer. @throws as `find` does */
  async findTotals(filters: Filters, client?: SearchClient): Promise<{ all: Sum; body: Buffer }> {
    const { all, lines } = await this.#group(filters, undefined, client);
    return { all, body: Buffer.concat([Buffer.from('{"success":true,"data":'), lines, Buffer.from("}\n")]) };
  }

  /** Groups of all records that meet the filters. @throws as `find` does */
  findGroups(filters: Filters, groups: GroupsWanted, client?: SearchClient): Promise<FoundGroups> {
    return this.#group(filters, groups, client);
  }

  /** Drops the groups that threads keep for the next page of an export. */
  dropGroups(): void {
    this.#threads.totals.dropGroups(this.#files);
  }

  /** @param groups undefined for totals */
  #group(filters: Filters, groups: GroupsWanted | undefined, client?: SearchClient): Promise<FoundGroups> {
    const threads = this.#threads.totals;
    const engine = this.#engine;
    const find = (signal: AbortSignal) => {
      if (engine === undefined)
        return threads.group(
          this.#files,
          { matches: this.#toColumns(filters), ...(groups && { groups }) },
          signal,
        );
      const search = new SqlGroups(engine, filters, signal);
      return groups === undefined ? search.findTotals() : search.findGroups(groups);
    };
    return this.#run(threads.queue, find, client);
  }

  #find(filters: Filters, page: PageRequest, client: SearchClient | undefined): Promise<FoundPage> {
    const threads = this.#threads.search;
    const request = { ...this.#toColumns(filters), ...page };
    return this.#run(threads.queue, (signal) => threads.find(this.#files, request, signal), client);
  }

  /** The filters as threads need them, with the funders' rows. */
  #toColumns({ funderEin, recipientEin, ...others }: Filters): ColumnFilters {
    const table = this.#files.funders;
    const { funderEins } = others;
    const unknown = { first: 0, records: 0 };
    const rows = (funderEins ?? []).flatMap((ein) => {
      const row = findFunderRow(table, Number(ein));
      return row === undefined ? [] : [{ ...row, index: findFunderIndex(table, "ein", row.ein) }];
    });
    return {
      ...others,
      ...(funderEins !== undefined && { funders: { count: table.length / funderRowBytes, rows } }),
      ...(funderEin !== undefined && { funder: findFunderRow(table, Number(funderEin)) ?? unknown }),
      ...(recipientEin !== undefined && { recipientEin: Number(recipientEin) }),
    };
  }

  /**
   * Runs statements about a key on the database of the index.
   * @throws Refusal or ClientGone, as the queue does
   */
  query<Result>(
    key: Ein | QueryKey,
    work: (read: ReadRows) => Promise<Result>,
    client?: SearchClient,
  ): Promise<Result> {
    return this.#run(
      this.#threads.search.queue,
      (signal) => this.#database.query(typeof key === "string" ? BigInt(key) : key, work, signal),
      client,
    );
  }

  /** Runs work in its turn. Work that is given up may read the files for a little longer. */
  #run<Result>(
    queue: SearchQueue,
    work: (signal: AbortSignal) => Promise<Result>,
    client: SearchClient | undefined,
  ): Promise<Result> {
    return queue.run((signal) => {
      const running = work(signal);
      this.#running.add(running);
      return running.finally(() => this.#running.delete(running));
    }, client);
  }

  /** Makes all threads drop the release. */
  async #closeThreads(): Promise<void> {
    for (const threads of Object.values(this.#threads)) await threads.close(this.#files);
  }

  /** Closes the index; resolves when it is closed, after the last search has ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#closeThreads();
    this.#files.columns.close();
    await this.#database.close();
  }
}
