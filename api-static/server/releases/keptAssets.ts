// Finds assets of kept releases: a page that was loaded before a new release still asks for the assets that it names.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parts, releaseIdPattern, releasesFolder } from "../../release/layout.ts";
import { isHashedPath, readSite, type SiteFile } from "../../release/siteFiles.ts";
import { isAbsence } from "../../release/systemErrors.ts";

/** Milliseconds between two listings that requests cause: made-up names must not keep the disk busy. */
const listingInterval = 1_000;

/**
 * The files of every kept release's site. They are read when a release lacks a file for the first time. That is also
 * when another server already serves pages of a release that this one does not serve yet.
 */
export class KeptAssets {
  readonly #folder: string;
  readonly #now: () => number;
  #sites: ReadonlyMap<string, ReadonlyMap<string, SiteFile>> = new Map();
  #listed = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> = Promise.resolve();

  /**
   * @param data the data folder
   * @param now milliseconds of a monotonic clock
   */
  constructor(data: string, now: () => number) {
    this.#folder = join(data, releasesFolder);
    this.#now = now;
  }

  /** The asset at this URL path; undefined if no kept release has it. */
  async find(path: string): Promise<SiteFile | undefined> {
    if (!isHashedPath(path)) return undefined;
    const known = this.#look(path);
    if (known !== undefined) return known;
    if (this.#now() - this.#listed >= listingInterval) {
      this.#listed = this.#now();
      this.#listing = this.#list();
    }
    await this.#listing; // a page asks for several assets at once
    return this.#look(path);
  }

  async #list(): Promise<void> {
    const ids = (await readdir(this.#folder)).filter((name) => releaseIdPattern.test(name));
    this.#sites = new Map(ids.map((id) => [id, this.#sites.get(id) ?? this.#read(id)]));
  }

  #look(path: string): SiteFile | undefined {
    const site = this.#sites.values().find((site) => site.has(path));
    return site?.get(path);
  }

  /** The site of a release; empty if a sync is removing the release. */
  #read(id: string): ReadonlyMap<string, SiteFile> {
    try {
      return readSite(join(this.#folder, id, parts.public));
    } catch (error) {
      if (!isAbsence(error)) throw error;
      return new Map();
    }
  }
}
