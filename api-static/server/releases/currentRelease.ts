// Follows `current`: opens the release that it names, and leaves the previous one, which closes after its last request.
import { readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Release } from "../../search/release.ts";
import type { Log } from "../observe/log.ts";
import type { OpenReleases } from "./openReleases.ts";

/** The release that `current` names, also after it moves. */
export class CurrentRelease {
  readonly #data: string;
  readonly #open: OpenReleases;
  readonly #log: Pick<Log, "info" | "error">;
  #release: Release | undefined;
  #problem = "";
  #isChecking = false;

  /**
   * @param data the data folder
   * @param open the open releases, shared with pinned ones
   */
  constructor(data: string, open: OpenReleases, log: Pick<Log, "info" | "error">) {
    this.#data = data;
    this.#open = open;
    this.#log = log;
  }

  /** The release to answer from; undefined as long as there is none. */
  get(): Release | undefined {
    return this.#release;
  }

  /** Opens the release that `current` names, if it has changed. If that fails, the previous release stays in use. */
  async check(): Promise<void> {
    if (this.#isChecking) return; // opening may take longer than the interval between checks
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
