// Keeps the open releases: each is opened once, however many requests use it.
import { Release, type ReleaseSurroundings } from "../../search/release.ts";

/**
 * The releases that are open or closing. Two open handles on one index would be a bug: closing the first would drop the file
 * lock of the second (POSIX locks), and a sync could then remove the release.
 */
export class OpenReleases {
  readonly #shared: Omit<ReleaseSurroundings, "onClosed">;
  readonly #open = new Map<string, Promise<Release>>();

  /** @param shared what all releases share: the queue and threads of searches */
  constructor(shared: Omit<ReleaseSurroundings, "onClosed">) {
    this.#shared = shared;
  }

  /**
   * Opens a release, or shares it if it is open; if it is closing, waits for that first. The caller must leave the release.
   * Throws if a part is missing.
   */
  async enter(folder: string): Promise<Release> {
    for (;;) {
      const opened = this.#open.get(folder);
      if (opened === undefined) return this.#openAnew(folder);
      const release = await opened;
      if (release.enter()) return release;
      await release.closed;
    }
  }

  /** The number of releases that are open or closing. */
  get size(): number {
    return this.#open.size;
  }

  async #openAnew(folder: string): Promise<Release> {
    const opening = Release.open(folder, { ...this.#shared, onClosed: () => this.#open.delete(folder) });
    this.#open.set(folder, opening);
    try {
      return await opening;
    } catch (error) {
      this.#open.delete(folder);
      throw error;
    }
  }
}
