// Owns the releases that requests pin by their ids: found among those that are kept, held open for a while, let go.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { releaseIdPattern, releasesFolder } from "../../release/layout.ts";
import type { Release } from "../../search/release.ts";
import type { Log } from "../observe/log.ts";
import type { OpenReleases } from "./openReleases.ts";

/** Milliseconds after its last request that a release stays open: a walk asks again within it. */
const idleMax = 60_000;

/** Milliseconds between two looks that requests cause: made-up ids must not keep the disk busy. */
const lookInterval = 20;

export type PinnedContext = {
  /** The data folder. */
  readonly data: string;
  readonly open: OpenReleases;
  /** Most releases that are held open between requests. */
  readonly held: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly log: Pick<Log, "error">;
};

export class PinnedReleases {
  readonly #context: PinnedContext;
  readonly #held: LRUCache<string, Release>;
  #ids: ReadonlySet<string> = new Set();
  #problem = "";
  #looked = Number.NEGATIVE_INFINITY;

  constructor(context: PinnedContext) {
    this.#context = context;
    this.#held = new LRUCache({
      max: context.held,
      ttl: idleMax,
      updateAgeOnGet: true,
      perf: { now: context.now },
      ttlResolution: 0,
      dispose: (release) => release.leave(),
    });
  }

  /** Looks which releases are kept, and lets go of those that are not and of those that nobody asked for of late. */
  async check(): Promise<void> {
    const folder = join(this.#context.data, releasesFolder);
    this.#looked = this.#context.now();
    try {
      this.#ids = new Set((await readdir(folder)).filter((name) => releaseIdPattern.test(name)));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) this.#tell(folder, error);
      this.#ids = new Set();
    }
    for (const id of [...this.#held.keys()]) if (!this.#ids.has(id)) this.#held.delete(id);
    this.#held.purgeStale();
  }

  /**
   * The release of that id, for whoever enters to leave; undefined when none is kept that can be opened. The id is looked
   * up among the names of folders: nothing is opened by a name that a request made up.
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
      this.#tell(id, error);
      return undefined;
    }
  }

  /** True for an id of a release that may have come since the last look: another server may have named it already. */
  #isNewer(id: string): boolean {
    const isDue = this.#context.now() - this.#looked >= lookInterval;
    return (
      isDue && releaseIdPattern.test(id) && !this.#ids.has(id) && [...this.#ids].every((known) => known < id)
    );
  }

  close(): void {
    this.#held.clear();
  }

  /** Logs a problem once, not with every request and every look. */
  #tell(what: string, error: unknown): void {
    const problem = `releases to pin: ${what}: ${error instanceof Error ? error.message : String(error)}`;
    if (problem !== this.#problem) this.#context.log.error(problem);
    this.#problem = problem;
  }
}
