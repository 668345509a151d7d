// Owns an open release and the following of `current`: requests that run keep the release they began with.
import { readFileSync, statSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { join } from "node:path";
import { parts, readSearchPages, releaseIdPattern, type SearchPage } from "../layout.ts";
import type { Log } from "./log.ts";
import type { OpenReleases } from "./openReleases.ts";
import { PageFiles } from "./pageFiles.ts";
import { Records } from "./records.ts";
import { Search } from "./search.ts";
import type { SearchQueue } from "./searchQueue.ts";
import { readSite, type SiteFile } from "./siteFiles.ts";

/** What the server says of a release; written by the pipeline. */
export type ReleaseFacts = {
  readonly release: string;
  readonly synced_at: string;
  readonly totals: Readonly<Record<string, number | string>>;
  /** The files of the release but the page files, by their paths, as they were sealed. */
  readonly parts: Readonly<Record<string, { readonly bytes: number }>>;
};

/** Parts that answers come from. */
const readParts = [parts.records, parts.offsets, parts.funders, parts.searches, parts.index];

/** What an open release shares with others; none of it for one that is opened alone. */
export type ReleaseSurroundings = {
  /** Searches take their turn in it. */
  readonly queue?: SearchQueue;
  /** Page files are read by it. */
  readonly pageFiles?: PageFiles;
  /** Called when the last one who uses the release has left it. */
  readonly onClose?: () => void;
};

export class Release {
  readonly folder: string;
  readonly facts: ReleaseFacts;
  readonly records: Records;
  readonly search: Search;
  readonly pageFiles: PageFiles;
  /** The funder table, as in `layout.ts`. */
  readonly funders: Buffer;
  /** The page files of searches by their keys. */
  readonly searches: ReadonlyMap<string, SearchPage>;
  readonly site: ReadonlyMap<string, SiteFile>;
  #users = 1; // the holder itself
  readonly #onClose: () => void;
  #isClosed = false;

  private constructor(folder: string, search: Search, { pageFiles, onClose }: ReleaseSurroundings) {
    this.#onClose = onClose ?? (() => undefined);
    this.pageFiles = pageFiles ?? new PageFiles(0);
    this.folder = folder;
    this.search = search;
    this.facts = JSON.parse(readFileSync(join(folder, parts.manifest), "utf8")) as ReleaseFacts;
    checkParts(folder, this.facts);
    this.funders = readFileSync(join(folder, parts.funders));
    const searches = readSearchPages(readFileSync(join(folder, parts.searches), "utf8"));
    this.searches = new Map(searches.map((page) => [page.key, page]));
    this.site = readSite(join(folder, parts.public));
    this.records = new Records(folder);
  }

  /**
   * Opens a release; reads little, whatever its size. Throws when a part is missing.
   */
  static async open(folder: string, surroundings: ReleaseSurroundings = {}): Promise<Release> {
    const search = await Search.open(join(folder, parts.index), surroundings.queue);
    try {
      return new Release(folder, search, surroundings);
    } catch (error) {
      search.close();
      throw error;
    }
  }

  /** Runs work on the release; it stays open until the work has ended. */
  async use<Result>(work: (release: Release) => Promise<Result>): Promise<Result> {
    this.enter();
    try {
      return await work(this);
    } finally {
      this.leave();
    }
  }

  /** Begins one use, which must end with `leave`; false when the release is closed already. */
  enter(): boolean {
    if (this.#isClosed) return false;
    this.#users += 1;
    return true;
  }

  /** Ends one use; the last one closes the release. */
  leave(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
    this.records.close();
    this.search.close();
  }
}

/** Throws where a release is not whole at the first sight: its manifest is none, or a part has lost or gained bytes. */
function checkParts(folder: string, { release, parts: sealed = {} }: ReleaseFacts): void {
  if (!releaseIdPattern.test(release)) throw new Error(`${parts.manifest} names no release`);
  for (const part of readParts) {
    const { size } = statSync(join(folder, part));
    if (size !== sealed[part]?.bytes)
      throw new Error(`${part} has ${size} bytes, ${sealed[part]?.bytes} were sealed`);
  }
}

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
