// Opens the files of a release, and closes them when the last request that uses them has ended.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parts, readNamesKeys, readSearchPages, releaseIdPattern, type SearchPage } from "./layout.ts";
import { Organizations } from "./organizations.ts";
import { PageFiles } from "./pageFiles.ts";
import { Records } from "./records.ts";
import { type PublishedReport, readPublishedReport } from "./report.ts";
import { readSite, type SiteFile } from "./siteFiles.ts";

/** Facts about a release, written by the pipeline, that the server reports. */
export type ReleaseFacts = {
  readonly release: string;
  readonly synced_at: string;
  readonly totals: Readonly<Record<string, number | string>>;
  /** The number of organizations, and how many funders have a name. */
  readonly names: { readonly organizations: number; readonly funders: number };
  /** The sealed sizes of the release's files, page files excepted, by path. */
  readonly parts: Readonly<Record<string, { readonly bytes: number }>>;
};

/** The parts that responses are read from. */
const readParts = [
  parts.records,
  parts.offsets,
  parts.funders,
  parts.searches,
  parts.organizations,
  parts.names,
  parts.index,
  parts.columns,
  parts.report,
];

/** What an open release shares with others, if anything. */
export type FileSurroundings = {
  /** Called when the release is closed, which may be some time after its last user left. */
  readonly onClosed?: () => void;
};

export class ReleaseFiles {
  readonly folder: string;
  readonly facts: ReleaseFacts;
  readonly report: PublishedReport;
  readonly records: Records;
  readonly organizations: Organizations;
  readonly pageFiles: PageFiles;
  /** The funder table, as in `layout.ts`. */
  readonly funders: Buffer;
  /** The page files of searches by their keys. */
  readonly searches: ReadonlyMap<string, SearchPage>;
  /** The keys of the files of names. */
  readonly names: ReadonlySet<string>;
  readonly site: ReadonlyMap<string, SiteFile>;
  #users = 1; // whoever opened it
  readonly #onClosed: () => void;
  readonly #closed = Promise.withResolvers<void>();
  #isClosing = false;

  /** Opens the files of a release. Throws if a part is missing, or if its size is not the sealed one. */
  constructor(folder: string, { onClosed }: FileSurroundings = {}) {
    this.#onClosed = onClosed ?? (() => undefined);
    this.pageFiles = new PageFiles(folder);
    this.folder = folder;
    this.facts = JSON.parse(readFileSync(join(folder, parts.manifest), "utf8")) as ReleaseFacts;
    checkParts(folder, this.facts);
    this.report = readPublishedReport(folder);
    this.funders = readFileSync(join(folder, parts.funders));
    const searches = readSearchPages(readFileSync(join(folder, parts.searches), "utf8"));
    this.searches = new Map(searches.map((page) => [page.key, page]));
    this.names = new Set(readNamesKeys(readFileSync(join(folder, parts.names), "utf8")));
    this.site = readSite(join(folder, parts.public));
    this.records = Records.open(folder);
    try {
      this.organizations = new Organizations(folder);
    } catch (error) {
      this.records.close();
      throw error;
    }
  }

  /** Runs work on the release, which stays open until the work has ended. */
  async use<Result>(work: (release: this) => Promise<Result>): Promise<Result> {
    this.enter();
    try {
      return await work(this);
    } finally {
      this.leave();
    }
  }

  /** Starts one use, which must end with `leave`; false if the release is closed or closing. */
  enter(): boolean {
    if (this.#isClosing) return false;
    this.#users += 1;
    return true;
  }

  /** Ends one use; the last one closes the release. */
  leave(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#isClosing) return;
    this.#isClosing = true;
    void this.close().then(() => {
      this.#onClosed();
      this.#closed.resolve();
    });
  }

  /** Resolves when the release is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  protected async close(): Promise<void> {
    this.records.close();
    this.organizations.close();
  }
}

/** Throws if a release is obviously damaged: its manifest names no release, or the size of a part is wrong. */
function checkParts(folder: string, { release, parts: sealed = {} }: ReleaseFacts): void {
  if (!releaseIdPattern.test(release)) throw new Error(`${parts.manifest} does not name a release`);
  for (const part of readParts) {
    const { size } = statSync(join(folder, part));
    if (size !== sealed[part]?.bytes)
      throw new Error(`${part} has ${size} bytes; the manifest says ${sealed[part]?.bytes}`);
  }
}
