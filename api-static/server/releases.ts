// Opens the releases that requests read: the current one, and kept ones that URLs pin by id. They stay open while they are kept.
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { isHashedPath } from "../contract/sitePaths.ts";
import { parts, releaseIdPattern, releasesFolder } from "../release/layout.ts";
import { readSite, type SiteFile } from "../release/siteFiles.ts";
import { isAbsence } from "../release/systemErrors.ts";
import { databaseMegabytes, IndexDatabases } from "../search/indexDatabase.ts";
import { Release } from "../search/release.ts";
import type { SearchSurroundings } from "../search/search.ts";
import type { Log } from "./observe/log.ts";

/** Milliseconds between two listings that requests cause: made-up ids and names must not keep the disk busy. */
const listingInterval = 20;

/** Milliseconds before a release that failed is tried again, unless its folder changes earlier. */
const retryInterval = 60_000;

/** Bytes of memory that an open release may take in addition to its index: tables, the site, buffers of threads. */
const bytesOfOpen = 32 * 2 ** 20;

/** Bytes of memory that DuckDB may take for all releases. */
const databaseBytes = databaseMegabytes * 2 ** 20;

export type ReleasesContext = Pick<SearchSurroundings, "threads" | "openEngine"> & {
  /** The data folder. */
  readonly data: string;
  /** Bytes of memory for open releases. Half of what DuckDB leaves is for the index of the current release. */
  readonly maxBytes: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log: Pick<Log, "info" | "error">;
};

/** Why a release failed, and when its folder was last changed. */
type Failure = { readonly error: unknown; readonly changedAt: number; readonly failedAt: number };

/**
 * The releases of a data folder. The current one has its index in memory, the others read it from disk. No path is made from a
 * request's text: an id must be the name of a folder that was listed.
 */
export class Releases {
  readonly #context: ReleasesContext;
  readonly #folder: string;
  /** The open releases, by folder. */
  readonly #open = new Map<string, Release>();
  /** Those that close after their last request. */
  readonly #closing = new Map<string, Release>();
  readonly #failures = new Map<string, Failure>();
  readonly #databases = new IndexDatabases();
  readonly #problems = new Map<string, string>();
  readonly #sites = new Map<string, Promise<ReadonlyMap<string, SiteFile>>>();
  /** Opens one release at a time. */
  readonly #inTurn = pLimit(1);
  #kept: ReadonlySet<string> = new Set();
  #listedAt = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> = Promise.resolve();
  readonly #served = Promise.withResolvers<void>();
  #current: Release | undefined;
  #isFollowing = false;

  constructor(context: ReleasesContext) {
    this.#context = context;
    this.#folder = join(context.data, releasesFolder);
  }

  /** The release that `current` names; undefined as long as there is none. */
  get current(): Release | undefined {
    return this.#current;
  }

  /** Resolves when the first release is served. */
  get served(): Promise<void> {
    return this.#served.promise;
  }

  /** The number of releases that are open or closing. */
  get size(): number {
    return this.#open.size + this.#closing.size;
  }

  /** Closes releases that are not kept any more; opens the one that `current` names, if it has changed, and reads its index into memory. */
  async check(): Promise<void> {
    await this.#list();
    if (this.#isFollowing) return; // opening may take longer than the interval between checks
    const kept = new Set(this.#kept.values().map((id) => join(this.#folder, id)));
    for (const [folder, release] of this.#open)
      if (!kept.has(folder) && release !== this.#current) this.#close(folder);
    this.#isFollowing = true;
    await this.#follow();
    this.#isFollowing = false;
  }

  /** Enters the release with this id, or the current one; the caller must leave it. Returns undefined if it is not kept or cannot be opened. */
  async enter(id?: string): Promise<Release | undefined> {
    const current = this.#current;
    if (id === undefined || id === current?.facts.release) return current?.enter() ? current : undefined;
    if (this.#isNewer(id)) await this.#listIfDue();
    if (!this.#kept.has(id)) return undefined;
    try {
      const folder = join(this.#folder, id);
      const release = this.#open.get(folder) ?? (await this.#inTurn(() => this.#openOnce(folder)));
      this.#problems.delete(id);
      return release.enter() ? release : undefined; // it may have been pruned while it was opened
    } catch (error) {
      this.#report(id, `release ${id} cannot be opened`, error);
      return undefined;
    }
  }

  /**
   * Finds an asset in the sites of all kept releases: a page that was loaded before a new release still needs the assets that it
   * names, and another server may already serve pages of a release that this one does not serve yet.
   */
  async findAsset(path: string): Promise<SiteFile | undefined> {
    if (!isHashedPath(path)) return undefined;
    await this.#listIfDue();
    for (const id of this.#kept) {
      const site = this.#open.get(join(this.#folder, id))?.site ?? this.#readSite(id);
      const file = (await site).get(path);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  /** Leaves all releases. They close after their last request. */
  close(): void {
    this.#current = undefined;
    for (const folder of this.#open.keys()) this.#close(folder);
  }

  async #follow(): Promise<void> {
    const link = join(this.#context.data, "current");
    try {
      const folder = join(this.#context.data, await readlink(link));
      if (folder === this.#current?.folder) return;
      const next = await this.#inTurn(() => this.#openOnce(folder));
      const previous = this.#current;
      if (previous === undefined) this.#serve(next); // from disk, until its index is in memory
      try {
        await this.#inTurn(() => this.#attempt(folder, () => this.#load(next)));
      } catch (error) {
        if (this.#current === next) this.#current = undefined;
        this.#close(folder);
        throw error;
      }
      this.#problems.delete(link);
      if (previous === undefined) return;
      this.#serve(next);
      await previous.search.hold(0); // requests may still use it
    } catch (error) {
      this.#report(link, `the release of ${link} cannot be served`, error);
    }
  }

  #serve(release: Release): void {
    this.#current = release;
    this.#context.log.info(`release ${release.facts.release} is served`);
    this.#served.resolve();
  }

  /** Reads the index of the next current release into memory. */
  async #load(release: Release): Promise<void> {
    if (!release.enter()) return; // the server has ended, as it may while this reads
    try {
      const { maxBytes } = this.#context;
      await release.search.hold(Math.max(0, (maxBytes - databaseBytes) / 2 - bytesOfOpen)); // the previous release has as much
      await release.organizationSearch.load();
    } finally {
      release.leave();
    }
  }

  /**
   * Opens a release, if it is not open. If it is closing, waits for that first: closing would drop the lock of a second handle on its
   * index (POSIX locks), and a sync could then remove the release.
   */
  async #openOnce(folder: string): Promise<Release> {
    const known = this.#open.get(folder);
    if (known !== undefined) return known;
    await this.#closing.get(folder)?.closed.catch(() => undefined);
    const { threads, openEngine } = this.#context;
    const surroundings = { threads, openEngine, databases: this.#databases, heldBytes: 0 };
    const release = await this.#attempt(folder, () => Release.open(folder, surroundings));
    this.#open.set(folder, release);
    return release;
  }

  /** Does work with a release that may fail. @throws what it threw before, if that is less than a minute ago */
  async #attempt<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
    const { now } = this.#context;
    const changedAt = (await stat(folder)).mtimeMs;
    const failure = this.#failures.get(folder);
    if (failure?.changedAt === changedAt && now() - failure.failedAt < retryInterval) throw failure.error;
    try {
      const result = await work();
      this.#failures.delete(folder);
      return result;
    } catch (error) {
      this.#failures.set(folder, { error, changedAt, failedAt: now() });
      throw error;
    }
  }

  /** Closes an open release after its last request. */
  #close(folder: string): void {
    const release = this.#open.get(folder);
    if (release === undefined) return;
    this.#open.delete(folder);
    this.#closing.set(folder, release);
    const forget = () => this.#closing.delete(folder); // runs before anyone who waits for `closed` continues
    release.closed.then(forget, (error) => {
      forget();
      this.#report(folder, `${folder} could not be closed`, error);
    });
    release.leave();
  }

  /** True if a release with this id may be newer than the last listing: another server may have named it already. */
  #isNewer(id: string): boolean {
    return releaseIdPattern.test(id) && [...this.#kept].every((known) => known < id);
  }

  #listIfDue(): Promise<void> {
    if (this.#context.now() - this.#listedAt >= listingInterval) this.#listing = this.#list();
    return this.#listing; // others may wait for it already
  }

  /** Lists the releases that are kept. */
  async #list(): Promise<void> {
    this.#listedAt = this.#context.now();
    try {
      this.#kept = new Set((await readdir(this.#folder)).filter((name) => releaseIdPattern.test(name)));
    } catch (error) {
      if (isAbsence(error)) this.#kept = new Set();
      else this.#report(this.#folder, `cannot list ${this.#folder}`, error); // the last list is still the best guess
    }
    for (const id of this.#sites.keys()) if (!this.#kept.has(id)) this.#sites.delete(id);
  }

  /** The site of a kept release that is not open, read once; empty if a sync is removing the release. */
  #readSite(id: string): Promise<ReadonlyMap<string, SiteFile>> {
    const known = this.#sites.get(id);
    if (known !== undefined) return known;
    const site = readSite(join(this.#folder, id, parts.public)).catch((error: unknown) => {
      this.#sites.delete(id);
      if (!isAbsence(error)) throw error;
      return new Map<string, SiteFile>();
    });
    this.#sites.set(id, site);
    return site;
  }

  /** Logs a problem once, not with every request and every check. */
  #report(subject: string, what: string, error: unknown): void {
    const problem = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    if (problem !== this.#problems.get(subject)) this.#context.log.error(problem);
    this.#problems.set(subject, problem);
  }
}
