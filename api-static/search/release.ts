// Opens a release, so that page files, records and searches can answer from it; closes it after its last user.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { lineEnd } from "../contract/answers/envelope.ts";
import type { Match } from "../contract/answers/matches.ts";
import { parts, readNamesKeys, readSearchPages, type SearchPage } from "../release/layout.ts";
import { Organizations } from "../release/organizations.ts";
import { PageFiles } from "../release/pageFileFormat.ts";
import { Records, shareBytes } from "../release/records.ts";
import { readSite, type SiteFile } from "../release/siteFiles.ts";
import {
  type PublishedReport,
  type ReleaseFacts,
  readFacts,
  readPublishedReport,
} from "../release/status.ts";
import { OrganizationSearch } from "./names/organizationSearch.ts";
import { Search, type SearchSurroundings } from "./search.ts";

/** The texts of an open release. */
export class MatchTexts {
  readonly #lines: Records;

  /** @param folder of the release */
  constructor(folder: string) {
    this.#lines = Records.open(folder, [parts.matches, parts.matchOffsets]);
  }

  close(): void {
    this.#lines.close();
  }

  /**
   * The JSON of the matches of a page, in the order of its grants.
   * @param lines those of the grants
   * @param ids of the grants' texts; -1 for grants without a match
   */
  async format(lines: Buffer, ids: readonly number[]): Promise<string[]> {
    const texts = await this.#read(ids);
    const grants = lines.toString().split(lineEnd);
    return ids.flatMap((id, index) => {
      const text = texts.get(id);
      if (text === undefined) return [];
      const [start] = /^\{"id":-?\d+,/.exec(grants[index] ?? "") ?? [];
      if (start === undefined) throw new SyntaxError("a record of the release has no id");
      return [start + text.slice(1)];
    });
  }

  /** The matches of grants; undefined for grants without one. @param ids as above */
  async find(ids: readonly number[]): Promise<(Omit<Match, "id"> | undefined)[]> {
    const texts = await this.#read(ids);
    return ids.map((id) => {
      const text = texts.get(id);
      return text === undefined ? undefined : (JSON.parse(text) as Omit<Match, "id">);
    });
  }

  /** The texts by id. Those of a recipient are neighbors, so they are read in few runs. */
  async #read(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const different = [...new Set(ids)].filter((id) => id >= 0).sort((one, other) => one - other);
    const lines = (await this.#lines.readLinesInTurns(different)).toString().split(lineEnd);
    return new Map(different.map((id, index) => [id, lines[index] as string]));
  }
}

type Opened = Omit<Release, "users" | "enter" | "leave" | "closed">;

/** An open release. It counts its users, and closes after the last one. */
export class Release {
  readonly folder!: string;
  readonly facts!: ReleaseFacts;
  readonly report!: PublishedReport;
  /** The funder table, as in `layout.ts`. */
  readonly funders!: Buffer;
  /** The page files of searches by their keys. */
  readonly searches!: ReadonlyMap<string, SearchPage>;
  /** The keys of the files of names. */
  readonly names!: ReadonlySet<string>;
  readonly site!: ReadonlyMap<string, SiteFile>;
  readonly pageFiles!: PageFiles;
  readonly records!: Records;
  /** What is said of matches, by id. */
  readonly matchTexts!: MatchTexts;
  readonly organizations!: Organizations;
  readonly organizationSearch!: OrganizationSearch;
  readonly search!: Search;
  readonly #closed = Promise.withResolvers<void>();
  #users = 1; // whoever opened it

  private constructor(opened: Opened) {
    Object.assign(this, opened);
    this.#closed.promise.catch(() => undefined); // not all callers wait for it
  }

  /** Opens a release, which the caller must leave. Throws if it cannot be used, e.g., because a part is missing. */
  static async open(folder: string, surroundings: SearchSurroundings = {}): Promise<Release> {
    const read = (part: string) => readFile(join(folder, part), "utf8");
    const facts = await readFacts(folder);
    const funders = shareBytes(await readFile(join(folder, parts.funders)));
    const tables = {
      searches: new Map(readSearchPages(await read(parts.searches)).map((page) => [page.key, page])),
      names: new Set(readNamesKeys(await read(parts.names))),
      site: await readSite(join(folder, parts.public)),
      report: readPublishedReport(folder),
      pageFiles: new PageFiles(folder),
    };
    const records = Records.open(folder);
    let matchTexts: MatchTexts | undefined;
    let organizations: Organizations | undefined;
    let organizationSearch: OrganizationSearch | undefined;
    try {
      matchTexts = new MatchTexts(folder);
      organizations = new Organizations(folder);
      organizationSearch = new OrganizationSearch(folder, organizations, surroundings.threads?.names);
      const search = await Search.open(folder, { funders, records }, surroundings);
      return new Release({
        folder,
        facts,
        funders,
        ...tables,
        records,
        matchTexts,
        organizations,
        organizationSearch,
        search,
      });
    } catch (error) {
      await organizationSearch?.close();
      organizations?.close();
      matchTexts?.close();
      records.close();
      throw error;
    }
  }

  /** The number of users: those who opened or entered it and have not left it. */
  get users(): number {
    return this.#users;
  }

  /** Starts one use, which must end with `leave`; false if the release is closed or closing. */
  enter(): boolean {
    if (this.#users === 0) return false;
    this.#users += 1;
    return true;
  }

  /** Ends one use; the last one closes the release. */
  leave(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#close().then(this.#closed.resolve, this.#closed.reject);
  }

  /** Resolves when the release is closed; rejects if a part of it could not be closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Closes the searches first, because they read the records. */
  async #close(): Promise<void> {
    try {
      await this.search.close();
    } finally {
      await this.organizationSearch.close();
      this.records.close();
      this.matchTexts.close();
      this.organizations.close();
    }
  }
}
