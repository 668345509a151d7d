// Opens a release with its index, so that page files, records and searches can answer from it.
import { type FileSurroundings, ReleaseFiles } from "../release/releaseFiles.ts";
import { Search, type SearchSurroundings } from "./search.ts";

/** What an open release shares with others, if anything. */
export type ReleaseSurroundings = FileSurroundings & SearchSurroundings;

export class Release extends ReleaseFiles {
  readonly search: Search;

  private constructor(folder: string, search: Search, surroundings: ReleaseSurroundings) {
    super(folder, surroundings);
    this.search = search;
  }

  /** Opens a release; reads little, even of a large one. Throws if a part is missing. */
  static async open(folder: string, surroundings: ReleaseSurroundings = {}): Promise<Release> {
    const search = await Search.open(folder, surroundings);
    try {
      return new Release(folder, search, surroundings);
    } catch (error) {
      await search.close();
      throw error;
    }
  }

  protected override async close(): Promise<void> {
    await super.close();
    await this.search.close();
  }
}
