// Opens releases, each once, and does not try one that failed again and again.
import { stat } from "node:fs/promises";
import { IndexDatabases } from "../search/indexDatabase.ts";
import type { NameThreads } from "../search/names/nameThreads.ts";
import { Release } from "../search/release.ts";
import type { OpenEngine } from "../search/search.ts";
import type { SearchThreads } from "../search/searchThreads.ts";

/** Milliseconds before a release that failed is tried again, unless its folder changes earlier. */
const retryInterval = 60_000;

export type OpeningContext = {
  /** The searches of all releases run in them. */
  readonly threads?: SearchThreads;
  /** Totals and groups of all releases are found in them. */
  readonly groupThreads?: SearchThreads;
  readonly nameThreads?: NameThreads;
  readonly openEngine?: OpenEngine | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
};

/** Why a release failed, and when its folder was last changed. */
type Failure = { readonly error: unknown; readonly changedAt: number; readonly failedAt: number };

/** The releases that are open or closing, by folder. */
export class OpenReleases {
  readonly #context: OpeningContext;
  readonly #onStuck: (folder: string, error: unknown) => void;
  readonly #open = new Map<string, Release>();
  readonly #failures = new Map<string, Failure>();
  readonly #databases = new IndexDatabases();

  /** @param onStuck called if a release could not be closed */
  constructor(context: OpeningContext, onStuck: (folder: string, error: unknown) => void) {
    this.#context = context;
    this.#onStuck = onStuck;
  }

  /** How many they are. */
  get size(): number {
    return this.#open.size;
  }

  get(folder: string): Release | undefined {
    return this.#open.get(folder);
  }

  /** Enters a release if it is open. */
  enter(folder: string): Release | undefined {
    const release = this.#open.get(folder);
    return release?.enter() ? release : undefined;
  }

  /**
   * Enters a release, and opens it if it is not open. If it is closing, waits for that first: closing would drop the lock of a second
   * handle on its index (POSIX locks), and a sync could then remove the release.
   */
  async open(folder: string): Promise<Release> {
    const known = this.enter(folder);
    if (known !== undefined) return known;
    await this.#open.get(folder)?.closed;
    const { threads, groupThreads, nameThreads, openEngine } = this.#context;
    const release = await this.attempt(folder, () =>
      Release.open(folder, {
        ...(threads && { threads }),
        ...(groupThreads && { groupThreads }),
        ...(nameThreads && { nameThreads }),
        ...(openEngine && { openEngine }),
        databases: this.#databases,
        heldBytes: 0,
      }),
    );
    this.#open.set(folder, release);
    const forget = () => this.#open.delete(folder); // runs before anyone who waits for `closed` continues
    release.closed.then(forget, (error) => {
      forget();
      this.#onStuck(folder, error);
    });
    return release;
  }

  /** Does work with a release that may fail. @throws what it threw before, if that is less than a minute ago */
  async attempt<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
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
}
