// Builds the parts of a release from the table `grants`, in a folder that nobody reads yet.
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBInstance } from "@duckdb/node-api";
import type { LikelyFundersFacts } from "../../api-static/contract/answers/likelyFunders.ts";
import type { Filters } from "../../api-static/contract/filters.ts";
import { countPages } from "../../api-static/release/funderPages.ts";
import { formatSearchPages, funderRowBytes, parts } from "../../api-static/release/layout.ts";
import type { ReleaseFacts } from "../../api-static/release/status.ts";
import { countRows, followRows, withConnection, withOwnTables } from "../base/database.ts";
import { digestFile, digestInThreads, type FileDigest } from "../base/digests.ts";
import { flushPath } from "../base/files.ts";
import { allEnded } from "../base/parallel.ts";
import { findMatches, type MatchSources } from "../match/match.ts";
import { compareReleases, formatDifference } from "../releases/comparison.ts";
import type { SearchSettings } from "../releases/manifest.ts";
import { type FunderTables, identifyParts, listSiteRows, type ReleaseTables } from "../releases/tables.ts";
import type { Dataset } from "./downloads/dataset.ts";
import { writeDownloads } from "./downloads/downloads.ts";
import { writeLikelyFunders } from "./index/likelyFunders.ts";
import { writePeers } from "./index/peers.ts";
import type { PlaceSources } from "./index/places.ts";
import { attachIndex, detachIndex, writeIndex } from "./index/projections.ts";
import type { Source } from "./ingest.ts";
import { indexMatches, writeMatches, writeMatchLines } from "./matches/matches.ts";
import { type MadeNames, writeNames } from "./names/names.ts";
import { writeOrganizationColumns } from "./names/organizationColumns.ts";
import { type CutPages, countPageRows, cutPages } from "./pages/funderPages.ts";
import { planKnownPages } from "./pages/knownPages.ts";
import { chooseSearches } from "./pages/searches.ts";
import { cutSearches } from "./pages/searchPages.ts";
import { writeFunders, writeLines, writeOffsets } from "./records/records.ts";
import { describeDownloads, digestSite, writeSite } from "./site.ts";

export type BuildSettings = {
  readonly threads: number;
  /** Folder whose files are copied into the release's public part. */
  readonly site: string;
  /** The previous release, which the new one is compared with. */
  readonly before: ReleaseTables | undefined;
  /** The release whose page files are linked if they did not change. */
  readonly known: ReleaseTables | undefined;
  /** How many searches get page files. `learned` are the most frequent searches of recent days. */
  readonly searches: SearchSettings;
  readonly learned: readonly Filters[];
  /** What the downloads are described as; undefined if there are none. */
  readonly dataset: Omit<Dataset, "records" | "release"> | undefined;
  /** The id of the release. */
  readonly release: string;
  /** Where the states of funders and recipients come from. */
  readonly places: PlaceSources;
  readonly matches: MatchSources;
};

export type Built = Awaited<ReturnType<typeof buildParts>>;

/** The grants that a release is built from. */
export type BuildFacts = { readonly records: number; readonly years: readonly number[] };

/**
 * Builds every part of a release except its rejects, report and manifest.
 * @param source whose connection holds the tables of grants and of organizations, which are dropped once they are no longer needed
 */
export async function buildParts(
  instance: DuckDBInstance,
  source: Source,
  { records, years }: BuildFacts,
  folder: string,
  settings: BuildSettings,
) {
  const { connection, progress } = source;
  const job: Job = { instance, connection, progress, folder, settings, records, digests: {} };
  const funders = await progress.run("list funders", records, "grants", () =>
    writeFunders(connection, folder),
  );
  await writeSite(settings.site, folder);
  await attachIndex(connection, folder);

  // The steps, and what each waits for. Those that follow one another share a connection, the others have one of their own.
  const matches = progress.run("find recipients", records, "grants", () =>
    findMatches(connection, settings.matches),
  );
  const matchLines = matches.then(async () =>
    Object.assign(job.digests, await writeMatchLines(connection, folder)),
  );
  const matchesFile = matchLines.then(async () => makeMatches(job, (await matches).matched));
  const peers = matchesFile.then(() => makePeers(job));
  const likelyFunders = peers.then(() => rankFunders(job));
  const index = matchLines.then(async () => makeIndex(job, (await matches).matched > 0));
  const downloads = matchLines.then(() => makeDownloads(job, matchesFile));
  const pages = makePages(job, funders);
  const names = makeNames(job, funders.funders);
  const organizations = indexNames(job);
  await allEnded(
    matches,
    matchLines,
    matchesFile,
    peers,
    likelyFunders,
    index,
    downloads,
    pages,
    names,
    organizations,
  );
  await detachIndex(connection);

  // The remaining steps need their memory.
  for (const table of ["grants", "listed", "stated", "organization_names", "matches", "match_texts"])
    await connection.run(`DROP TABLE ${table}`);
  const [searches] = await allEnded(makeSearches(job, years), digestIndex(job));
  const made = { funders, pages: await pages, searches, names: await names, ...(await index) };
  const tables = await progress.run("write tables", records, "grants", () => writeTables(job, made));
  const { places, causes } = made;
  const facts = { places, causes, matches: await matches, likely_funders: await likelyFunders };
  return { digests: job.digests, ...facts, ...tables };
}

/** What the steps of one build share. */
type Job = Pick<Source, "connection" | "progress"> & {
  readonly instance: DuckDBInstance;
  readonly folder: string;
  readonly settings: BuildSettings;
  readonly records: number;
  /** The digests of the largest parts, which are computed while others are made. */
  readonly digests: Record<string, FileDigest>;
};

/** Builds the index, but for matches and peers, and counts its states and causes. */
async function makeIndex(
  { instance, folder, progress, settings: { places }, records }: Job,
  hasMatches: boolean,
): Promise<Pick<ReleaseFacts, "places" | "causes">> {
  return withConnection(instance, (connection) =>
    progress.run("build index", records, "grants", async (onProgress) => {
      for (const table of ["repeated", "returns"]) // the server reads them
        await connection.run(`CREATE TABLE index.${table} AS FROM ${table}`);
      const onFraction = (fraction: number) => onProgress(fraction * records);
      return writeIndex(connection, folder, onFraction, { hasMatches, places });
    }),
  );
}

/** Writes the matches into the index and as a file, and returns the digest of that. */
async function makeMatches(
  { connection, folder, progress, settings: { release }, digests }: Job,
  matched: number,
): Promise<FileDigest> {
  const digest = await progress.run("write matches", matched, "grants", async (onProgress) => {
    await indexMatches(connection);
    return writeMatches(connection, folder, release, (fraction) => onProgress(fraction * matched));
  });
  digests[parts.matchesFile] = digest;
  return digest;
}

async function makePeers({ connection, progress, records }: Job): Promise<void> {
  await progress.run("find peers", records, "grants", (onProgress) =>
    withOwnTables(connection, () => writePeers(connection, (fraction) => onProgress(fraction * records))),
  );
}

async function rankFunders({
  connection,
  progress,
  settings: { places },
  records,
}: Job): Promise<LikelyFundersFacts> {
  return progress.run("rank funders", records, "grants", (onProgress) =>
    withOwnTables(connection, () =>
      writeLikelyFunders(connection, places, (fraction) => onProgress(fraction * records)),
    ),
  );
}

/** Writes the files with all grants and matches, unless they are turned off, and their description into the site. */
async function makeDownloads(
  { instance, folder, progress, settings: { dataset, release }, records, digests }: Job,
  matchesFile: Promise<FileDigest>,
): Promise<void> {
  const files =
    dataset &&
    (await progress.run("write downloads", records, "grants", (onProgress) =>
      writeDownloads(instance, folder, { ...dataset, release, records }, matchesFile, onProgress),
    ));
  Object.assign(digests, files, await describeDownloads(folder));
}

/** Writes the files that name funders. */
async function makeNames({ folder, progress, settings }: Job, funders: Buffer): Promise<MadeNames> {
  return progress.run("write names", funders.length / funderRowBytes, "funders", (onProgress) =>
    writeNames(folder, funders, settings.known, onProgress),
  );
}

/** Builds the index of organizations' names. */
async function indexNames({ instance, folder, progress }: Job): Promise<void> {
  await withConnection(instance, async (connection) => {
    const count = await countRows(connection, "listed");
    await progress.run("index names", count, "organizations", (onProgress) =>
      writeOrganizationColumns(connection, folder, (done) => onProgress(Math.min(done, count))),
    );
  });
}

/** Writes `records` and makes the funders' page files from it. */
async function makePages(
  { instance, folder, progress, settings: { known, threads, release }, records, digests }: Job,
  after: FunderTables,
): Promise<CutPages> {
  await progress.run("write records", records, "grants", (onProgress) =>
    withConnection(instance, (connection) =>
      followRows(connection, records, onProgress, () => writeLines(connection, join(folder, parts.records))),
    ),
  );
  const linesDigests = await progress.run("find lines", records, "lines", (onProgress) =>
    writeOffsets(folder, records, onProgress),
  );
  Object.assign(digests, linesDigests);
  // The largest file is flushed while the workers cut pages, so that the end of the sync does not wait for it.
  const [, cut] = await allEnded(
    flushPath(join(folder, parts.records)),
    progress.run("cut pages", countPages(after.funders), "pages", (onProgress) =>
      cutPages(folder, after.funders, known && planKnownPages(known, after, release), threads, onProgress),
    ),
  );
  return cut;
}

/** Bytes that a thread digests while it starts. */
const fewBytes = 100_000_000;

/** Digests the index and its columns in a thread, while this one cuts searches. */
async function digestIndex({ folder, digests }: Job): Promise<void> {
  const names = [parts.index, parts.columns];
  const paths = names.map((name) => join(folder, name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const found = await digestInThreads(paths, Math.max(...sizes) > fewBytes ? 1 : 0);
  for (const [index, digest] of found.entries()) digests[names[index] as string] = digest;
}

/** Cuts the page files of searches. The index and the records must be complete, because the searches run on them. */
async function makeSearches({ connection, folder, progress, settings }: Job, years: readonly number[]) {
  const { known, searches, learned } = settings;
  const chosen = await chooseSearches(connection, folder, years, learned, searches);
  const cut = await progress.run("cut searches", chosen.size, "searches", (onProgress) =>
    cutSearches(folder, chosen, searches, known, onProgress),
  );
  return { ...cut, searches: chosen.size, learned: learned.length };
}

/** What the tables are written from. */
type Made = {
  readonly funders: FunderTables;
  readonly pages: CutPages;
  readonly searches: Awaited<ReturnType<typeof makeSearches>>;
  readonly names: MadeNames;
  readonly places: ReleaseFacts["places"];
};

/** Writes the tables of all page files, and the changes since the previous release. */
async function writeTables(
  { folder, settings: { before, site }, digests }: Job,
  { funders, pages: cut, searches, names, places }: Made,
) {
  const searchRows = Buffer.concat([...searches.rows.values()]);
  const namesRows = Buffer.concat([...names.rows.values()]);
  const pages = Buffer.concat([cut.rows, searchRows, namesRows]);
  await writeFile(join(folder, parts.pages), pages);
  await writeFile(join(folder, parts.searches), formatSearchPages(searches.pages));
  for (const part of [parts.organizations, parts.profiles, parts.organizationColumns])
    digests[part] = await digestFile(join(folder, part));
  const siteRows = listSiteRows({ ...(await digestSite(site)), ...digests });
  const files = new Map([...searches.rows, ...names.rows, ...siteRows]);
  const after = { ...funders, folder, pages, files, ...identifyParts(digests, places) };
  const difference = compareReleases(after, before);
  await writeFile(join(folder, parts.changes), formatDifference(difference));
  return {
    pages: countPageRows(pages),
    linked: cut.linked + searches.linked + names.linked,
    searches: { searches: searches.searches, learned: searches.learned, ...countPageRows(searchRows) },
    names: { organizations: names.organizations, funders: names.funders, ...countPageRows(namesRows) },
    changes: difference.counts,
  };
}
