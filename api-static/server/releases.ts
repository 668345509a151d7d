// Opens the releases that requests read, the current one and those that URLs pin by id, within a limit of memory.
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { Refusal } from "../contract/errors.ts";
import { isHashedPath } from "../contract/sitePaths.ts";
import { parts, releaseIdPattern, releasesFolder } from "../release/layout.ts";
import { readSite, type SiteFile } from "../release/siteFiles.ts";
import { isAbsence } from "../release/systemErrors.ts";
import { databaseMegabytes } from "../search/indexDatabase.ts";
import type { Release } from "../search/release.ts";
import type { Log } from "./observe/log.ts";
import { type OpeningContext, OpenReleases } from "./openReleases.ts";

/** Milliseconds that a pinned release stays open after its last request: a client that pages through it is faster. */
const maxIdle = 60_000;

/** Milliseconds between two listings that requests cause: made-up ids and names must not keep the disk busy. */
const listingInterval = 20;

/** Bytes of memory that an open release may take in addition to its index: tables, the site, buffers of threads. */
export const bytesOfOpen = 32 * 2 ** 20;

/** Bytes of memory that DuckDB may take for all releases. */
export const databaseBytes = databaseMegabytes * 2 ** 20;

export type ReleasesContext = OpeningContext & {
  /** The data folder. */
  readonly data: string;
  /** Bytes of memory that open releases may take. */
  readonly maxBytes: number;
  readonly log: Pick<Log, "info" | "error">;
};

type Pinned = { readonly release: Release; readonly usedAt: number };

/**
 * The releases of a data folder. The current one has its index in memory, pinned ones read it from disk. No path is made from a
 * request's text: an id must be the name of a folder that was listed.
 */
export class Releases {
  readonly #context: ReleasesContext;
  readonly #folder: string;
  readonly #open: OpenReleases;
  /** The releases that stay open between requests, by id, the least recently used first. */
  readonly #pinned = new Map<string, Pinned>();
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
    this.#open = new OpenReleases(context, (folder, error) =>
      this.#report(folder, `${folder} could not be closed`, error),
    );
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
    return this.#open.size;
  }

  /**
   * Opens the release that `current` names, if it has changed, and reads its index into memory; closes pinned releases that are idle
   * or not kept any more.
   */
  async check(): Promise<void> {
    await this.#list();
    const { now } = this.#context;
    for (const [id, { usedAt }] of this.#pinned)
      if (!this.#kept.has(id) || now() - usedAt > maxIdle) this.#unpin(id);
    if (this.#isFollowing) return; // opening may take longer than the interval between checks
    this.#isFollowing = true;
    await this.#follow();
    this.#isFollowing = false;
  }

  /**
   * Enters the release with this id, or the current one; the caller must leave it. Returns undefined if it is not kept or cannot
   * be opened.
   * @throws Refusal if there is no memory for it
   */
  async enter(id?: string): Promise<Release | undefined> {
    const current = this.#current;
    if (id === undefined || id === current?.facts.release) return current?.enter() ? current : undefined;
    if (this.#isNewer(id)) await this.#listIfDue();
    if (!this.#kept.has(id)) return undefined;
    try {
      const folder = join(this.#folder, id);
      const release = this.#open.enter(folder) ?? (await this.#inTurn(() => this.#enterInTurn(folder)));
      this.#pin(id, release);
      this.#problems.delete(id);
      return release;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      this.#report(id, `release ${id} cannot be opened`, error);
      return undefined;
    }
  }

  /** True if the release with this id is kept. */
  keeps(id: string): boolean {
    return this.#kept.has(id);
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
    this.#current?.leave();
    this.#current = undefined;
    for (const id of this.#pinned.keys()) this.#unpin(id);
  }

  async #follow(): Promise<void> {
    const link = join(this.#context.data, "current");
    try {
      const folder = join(this.#context.data, await readlink(link));
      if (folder === this.#current?.folder) return;
      const next = await this.#inTurn(() => this.#open.open(folder));
      const previous = this.#current;
      const load = () => {
        if (previous === undefined) this.#serve(next); // from disk, until its index is in memory
        return this.#load(next);
      };
      try {
        await this.#inTurn(() => this.#open.attempt(folder, load));
      } catch (error) {
        if (this.#current === next) this.#current = undefined;
        next.leave();
        throw error;
      }
      this.#problems.delete(link);
      if (previous === undefined) return;
      this.#serve(next);
      await previous.search.hold(0); // requests may still use it
      previous.leave();
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
      const indexBytes = Math.max(0, (maxBytes - databaseBytes) / 2 - bytesOfOpen); // the previous release has as much
      await this.#makeRoom(Math.min(indexBytes, release.facts.parts[parts.columns]?.bytes ?? 0));
      await release.search.hold(indexBytes);
      await release.organizationSearch.load();
    } finally {
      release.leave();
    }
  }

  async #enterInTurn(folder: string): Promise<Release> {
    const open = this.#open.enter(folder);
    if (open !== undefined) return open;
    if (await this.#makeRoom(bytesOfOpen)) return this.#open.open(folder);
    const message = "the releases in use take all memory that releases may take; try again in a minute";
    throw new Refusal({ code: "overloaded", message, retryAfter: 60 });
  }

  /** Closes pinned releases that no request uses, the least recently used first, until `bytes` more fit; false if they never do. */
  async #makeRoom(bytes: number): Promise<boolean> {
    for (;;) {
      const heldBytes = this.#current?.search.heldBytes ?? 0;
      const taken = databaseBytes + this.#open.size * bytesOfOpen + heldBytes;
      if (taken + bytes <= this.#context.maxBytes) return true;
      const idle = this.#pinned.entries().find(([, { release }]) => release.users === 1);
      if (idle === undefined) return false;
      const [id, { release }] = idle;
      this.#unpin(id);
      await release.closed;
    }
  }

  /** Keeps a release open between requests. */
  #pin(id: string, release: Release): void {
    if (!this.#kept.has(id)) return; // it was pruned while it was opened
    if (!this.#pinned.delete(id)) release.enter();
    this.#pinned.set(id, { release, usedAt: this.#context.now() });
  }

  #unpin(id: string): void {
    this.#pinned.get(id)?.release.leave();
    this.#pinned.delete(id);
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
