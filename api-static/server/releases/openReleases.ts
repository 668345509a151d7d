// Owns the releases that are open, each of them once, whoever asks for it and however often.
import { Release, type ReleaseSurroundings } from "../../search/release.ts";

/** Opened twice, an index would lose its lock on the file when the first of the two is closed (POSIX locks). */
export class OpenReleases {
  readonly #shared: Pick<ReleaseSurroundings, "queue" | "pageFiles">;
  readonly #open = new Map<string, Promise<Release>>();

  /** @param shared the queue that searches of every release take their turn in, and what reads every release's page files */
  constructor(shared: Pick<ReleaseSurroundings, "queue" | "pageFiles">) {
    this.#shared = shared;
  }

  /** Opens a release, or shares it when it is open; whoever enters must leave. Throws when a part is missing. */
  async enter(folder: string): Promise<Release> {
    for (;;) {
      const opened = this.#open.get(folder);
      if (opened === undefined) return this.#openAnew(folder);
      const release = await opened;
      if (release.enter()) return release;
    }
  }

  /** The number of releases that are open. */
  get size(): number {
    return this.#open.size;
  }

  async #openAnew(folder: string): Promise<Release> {
    const opening = Release.open(folder, { ...this.#shared, onClose: () => this.#open.delete(folder) });
    this.#open.set(folder, opening);
    try {
      return await opening;
    } catch (error) {
      this.#open.delete(folder);
      throw error;
    }
  }
}
