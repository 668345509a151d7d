// Follows `current`: opens the release that it names, and lets the previous one go once its requests have ended.
import { readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Release } from "../../search/release.ts";
import type { Log } from "../observe/log.ts";
import type { OpenReleases } from "./openReleases.ts";

/** The release that `current` names, followed when it moves. */
export class CurrentRelease {
  readonly #data: string;
  readonly #open: OpenReleases;
  readonly #log: Pick<Log, "info" | "error">;
  #release: Release | undefined;
  #problem = "";
  #isChecking = false;

  /**
   * @param data the data folder
   * @param open the releases that are open, shared with others
   */
  constructor(data: string, open: OpenReleases, log: Pick<Log, "info" | "error">) {
    this.#data = data;
    this.#open = open;
    this.#log = log;
  }

  /** The release to answer from; undefined until there is one. */
  get(): Release | undefined {
    return this.#release;
  }

  /** Opens what `current` names if it is another release than before; when that fails, the old one goes on. */
  async check(): Promise<void> {
    if (this.#isChecking) return; // opening takes longer than the interval: not twice at once
    this.#isChecking = true;
    try {
      const folder = join(this.#data, await readlink(join(this.#data, "current")));
      if (folder === this.#release?.folder) return;
      const next = await this.#open.enter(folder);
      const previous = this.#release;
      this.#release = next;
      this.#problem = "";
      this.#log.info(`release ${next.facts.release} is served`);
      previous?.leave();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem)
        this.#log.error(`the release of ${this.#data}/current cannot be served: ${problem}`);
      this.#problem = problem;
    } finally {
      this.#isChecking = false;
    }
  }

  close(): void {
    this.#release?.leave();
    this.#release = undefined;
  }
}
