// Opens the releases that requests pin by id, holds them open for a while, and closes them.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { releaseIdPattern, releasesFolder } from "../../release/layout.ts";
import { systemCode } from "../../release/systemErrors.ts";
import type { Release } from "../../search/release.ts";
import type { Log } from "../observe/log.ts";
import type { OpenReleases } from "./openReleases.ts";

/** Milliseconds that a release stays open after its last request: a client that pages through it is faster. */
const maxIdle = 60_000;

/** Milliseconds between two listings that requests cause: made-up ids must not keep the disk busy. */
const listingInterval = 20;

export type PinnedContext = {
  /** The data folder. */
  readonly data: string;
  readonly open: OpenReleases;
  /** Releases held open between requests, at most. */
  readonly maxHeld: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log: Pick<Log, "error">;
};

export class PinnedReleases {
  readonly #context: PinnedContext;
  readonly #held: LRUCache<string, Release>;
  #ids: ReadonlySet<string> = new Set();
  #problem = "";
  #listed = Number.NEGATIVE_INFINITY;

  constructor(context: PinnedContext) {
    this.#context = context;
    this.#held = new LRUCache({
      max: context.maxHeld,
      ttl: maxIdle,
      updateAgeOnGet: true,
      perf: { now: context.now },
      ttlResolution: 0,
      dispose: (release) => release.leave(),
    });
  }

  /** Lists the releases that are kept; closes those that are gone and those that were not used recently. */
  async check(): Promise<void> {
    const folder = join(this.#context.data, releasesFolder);
    this.#listed = this.#context.now();
    try {
      this.#ids = new Set((await readdir(folder)).filter((name) => releaseIdPattern.test(name)));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") this.#report(folder, error);
      this.#ids = new Set();
    }
    for (const id of [...this.#held.keys()]) if (!this.#ids.has(id)) this.#held.delete(id);
    this.#held.purgeStale();
  }

  /**
   * Enters the release with this id; the caller must leave it. Returns undefined if it is not kept or cannot be opened. No
   * path is made from a request's text: the id must be the name of a folder that was listed.
   */
  async enter(id: string): Promise<Release | undefined> {
    if (this.#isNewer(id)) await this.check();
    if (!this.#ids.has(id)) return undefined;
    const held = this.#held.get(id);
    if (held?.enter()) return held;
    try {
      const release = await this.#context.open.enter(join(this.#context.data, releasesFolder, id));
      if (this.#ids.has(id) && !this.#held.has(id) && release.enter()) this.#held.set(id, release);
      return release;
    } catch (error) {
      this.#report(id, error);
      return undefined;
    }
  }

  /** True if a release with this id may be newer than the last listing: another server may have named it already. */
  #isNewer(id: string): boolean {
    const isDue = this.#context.now() - this.#listed >= listingInterval;
    return (
      isDue && releaseIdPattern.test(id) && !this.#ids.has(id) && [...this.#ids].every((known) => known < id)
    );
  }

  /** True if the release with this id is kept. If it is open, it counts as used. */
  keeps(id: string): boolean {
    this.#held.get(id);
    return this.#ids.has(id);
  }

  close(): void {
    this.#held.clear();
  }

  /** Logs a problem once, not with every request and every listing. */
  #report(what: string, error: unknown): void {
    const problem = `cannot open pinned release: ${what}: ${error instanceof Error ? error.message : String(error)}`;
    if (problem !== this.#problem) this.#context.log.error(problem);
    this.#problem = problem;
  }
}
