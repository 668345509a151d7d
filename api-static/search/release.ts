// Opens a release, so that page files, records and searches can answer from it; closes it after its last user.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReleaseFacts, readFacts } from "../release/facts.ts";
import { parts, readNamesKeys, readSearchPages, type SearchPage } from "../release/layout.ts";
import { Organizations } from "../release/organizations.ts";
import { PageFiles } from "../release/pageFiles.ts";
import { Records } from "../release/records.ts";
import { type PublishedReport, readPublishedReport } from "../release/report.ts";
import { readSite, type SiteFile } from "../release/siteFiles.ts";
import { Search, type SearchSurroundings } from "./search.ts";

/** What is read of a release when it is opened. */
type Content = {
  readonly facts: ReleaseFacts;
  readonly report: PublishedReport;
  /** The funder table, as in `layout.ts`. */
  readonly funders: Buffer;
  /** The page files of searches by their keys. */
  readonly searches: ReadonlyMap<string, SearchPage>;
  /** The keys of the files of names. */
  readonly names: ReadonlySet<string>;
  readonly site: ReadonlyMap<string, SiteFile>;
};

/** The open files of a release. */
type OpenFiles = Pick<Release, "records" | "organizations" | "search">;

/** An open release. It counts its users, and closes after the last one. */
export class Release {
  readonly folder: string;
  readonly facts: Content["facts"];
  readonly report: Content["report"];
  readonly funders: Content["funders"];
  readonly searches: Content["searches"];
  readonly names: Content["names"];
  readonly site: Content["site"];
  readonly pageFiles: PageFiles;
  readonly records: Records;
  readonly organizations: Organizations;
  readonly search: Search;
  readonly #closed = Promise.withResolvers<void>();
  #users = 1; // whoever opened it

  private constructor(folder: string, content: Content, { records, organizations, search }: OpenFiles) {
    this.folder = folder;
    this.facts = content.facts;
    this.report = content.report;
    this.funders = content.funders;
    this.searches = content.searches;
    this.names = content.names;
    this.site = content.site;
    this.pageFiles = new PageFiles(folder);
    this.records = records;
    this.organizations = organizations;
    this.search = search;
  }

  /** Opens a release, which the caller must leave. Throws if it cannot be used, e.g., because a part is missing. */
  static async open(folder: string, surroundings: SearchSurroundings = {}): Promise<Release> {
    const content = await readContent(folder);
    const records = Records.open(folder);
    let organizations: Organizations | undefined;
    try {
      organizations = new Organizations(folder);
      const search = await Search.open(folder, { funders: content.funders, records }, surroundings);
      return new Release(folder, content, { records, organizations, search });
    } catch (error) {
      organizations?.close();
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
    if (this.#users === 0) void this.#close();
  }

  /** Resolves when the release is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Closes the searches first, because they read the records. */
  async #close(): Promise<void> {
    await this.search.close();
    this.records.close();
    this.organizations.close();
    this.#closed.resolve();
  }
}

async function readContent(folder: string): Promise<Content> {
  const facts = await readFacts(folder);
  const searches = readSearchPages(await readFile(join(folder, parts.searches), "utf8"));
  return {
    facts,
    report: readPublishedReport(folder),
    funders: await readFile(join(folder, parts.funders)),
    searches: new Map(searches.map((page) => [page.key, page])),
    names: new Set(readNamesKeys(await readFile(join(folder, parts.names), "utf8"))),
    site: await readSite(join(folder, parts.public)),
  };
}
