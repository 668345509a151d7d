// Opens a release with its index, so that page files, records and searches can answer from it.
import { type FileSurroundings, ReleaseFiles } from "../release/releaseFiles.ts";
import { Search, type SearchSurroundings } from "./search.ts";

/** What an open release shares with others, if anything. */
export type ReleaseSurroundings = FileSurroundings & SearchSurroundings;

export class Release extends ReleaseFiles {
  #search: Search | undefined;

  /** Opens a release; reads little, even of a large one. Throws if a part is missing. */
  static async open(folder: string, surroundings: ReleaseSurroundings = {}): Promise<Release> {
    const release = new Release(folder, surroundings);
    try {
      release.#search = await Search.open(folder, release, surroundings);
      return release;
    } catch (error) {
      await release.close();
      throw error;
    }
  }

  get search(): Search {
    if (this.#search === undefined) throw new Error("the release is not open yet");
    return this.#search;
  }

  /** Closes the searches first, because they read the records. */
  protected override async close(): Promise<void> {
    await this.#search?.close();
    await super.close();
  }
}
