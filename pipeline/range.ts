// Makes the part of a release that a range of funders gives, and the file of duplicates that all ranges need: machines share a night.
import { hash } from "node:crypto";
import { rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { DuckDBConnection } from "@duckdb/node-api";
import { noMatches } from "../api-static/contract/matches.ts";
import { parts } from "../api-static/release/layout.ts";
import { literalPath, openDatabase } from "./base/database.ts";
import { lastEin } from "./base/eins.ts";
import { DamagedPagesError, InputError } from "./base/failure.ts";
import { flushPath } from "./base/files.ts";
import { withLock } from "./base/lock.ts";
import { usualStore } from "./bucket/storeSettings.ts";
import { makePages } from "./parts/build.ts";
import { type FunderRange, type Ingested, ingest, writeDuplicates } from "./parts/ingest.ts";
import { countPageRows } from "./parts/pages/funderPages.ts";
import { writeRangeTables } from "./parts/ranges.ts";
import { writeFunders } from "./parts/records/records.ts";
import { activateRelease, findCurrent, flush, placeRelease } from "./releases/current.ts";
import {
  freeReleaseId,
  makeDataFolder,
  openBuild,
  releaseFolder,
  releaseMoment,
  removeBuild,
  spillFolder,
} from "./releases/folders.ts";
import { type FoundInputs, findInputs, listBucket } from "./releases/inputs.ts";
import {
  digestParts,
  type Inputs,
  type Manifest,
  type RangeFacts,
  writeManifest,
} from "./releases/manifest.ts";
import { isRangeOf } from "./releases/ranges.ts";
import { pruneReleases } from "./releases/retention.ts";
import { findTables } from "./releases/tables.ts";
import type { SyncSettings } from "./settings.ts";
import type { SyncContext } from "./sync.ts";

type RangeContext = Omit<SyncContext, "site">;

/** What the steps of one command share. */
type Job = FoundInputs & {
  readonly settings: SyncSettings;
  readonly context: RangeContext;
  readonly connection: DuckDBConnection;
  /** An empty folder, which is removed at the end if nothing moved it. */
  readonly folder: string;
};

/**
 * Decides which row of each duplicated id counts, and writes all rows of such ids to the file that `settings.duplicates` names. Returns
 * their number.
 * @throws InputError if the warehouse is wrong
 */
export function writeWarehouseDuplicates(settings: SyncSettings, context: RangeContext): Promise<number> {
  return runJob(settings, context, async ({ connection, warehouse, inputs }) => {
    const { progress, clock } = context;
    const nextYear = clock().getUTCFullYear() + 1;
    const metadata = { warehouse: identify(inputs), next_year: String(nextYear) };
    const draft = `${settings.duplicates}.next`;
    const rows = await writeDuplicates({ connection, warehouse, nextYear, progress }, draft, metadata);
    await flushPath(draft);
    await rename(draft, settings.duplicates);
    return rows;
  });
}

type RangeManifest = Manifest & { readonly range: RangeFacts };

/** A range of funders that was made, or was made before. */
export type MadeRange = { readonly isNew: boolean; readonly manifest: RangeManifest };

/**
 * Makes a range of funders and makes it current in its data folder: their records and page files, and what else a join needs. It is verified
 * with the whole. Does nothing if the current range has the same inputs.
 * @throws InputError if the warehouse or a setting is wrong, or the file of duplicates was made from other files; LockedError
 */
export async function makeRange(settings: SyncSettings, context: RangeContext): Promise<MadeRange> {
  try {
    return await makeRangeOnce(settings, context);
  } catch (error) {
    if (!(error instanceof DamagedPagesError) || settings.isForced) throw error;
    context.progress.note(error.message);
    context.progress.note("page files of the current range are damaged: all pages are built again");
    return makeRangeOnce({ ...settings, isForced: true }, context);
  }
}

function makeRangeOnce(settings: SyncSettings, context: RangeContext): Promise<MadeRange> {
  return runJob(settings, context, async (job) => {
    const { data, isForced, keep, eins = { first: 0, last: lastEin } } = settings;
    const nextYear = await readNextYear(job);
    const current = await findCurrent(data);
    const range = current?.manifest.range;
    const isSame = range?.next_year === nextYear && isDeepStrictEqual(range.eins, eins);
    if (current !== undefined && isSame && !isForced && isRangeOf(current, job.inputs))
      return { isNew: false, manifest: { ...current.manifest, range } };
    const release = await freeReleaseId(data, context.clock());
    const { folder } = job;
    const funders = { ...eins, duplicates: settings.duplicates };
    const manifest = await buildRange(job, { release, nextYear, range: funders });
    await writeManifest(folder, manifest);
    await flush(folder);
    await placeRelease(data, release);
    await activateRelease(data, release);
    await pruneReleases(data, keep, context.progress.note);
    return { isNew: true, manifest };
  });
}

/** Finds the inputs of a command, and runs its work while it holds the lock of the data folder. */
async function runJob<Result>(
  settings: SyncSettings,
  context: RangeContext,
  work: (job: Job) => Promise<Result>,
): Promise<Result> {
  const { data, memory, threads } = settings;
  await makeDataFolder(data);
  return withLock(data, async () => {
    const bucket = await listBucket(settings, context.store ?? usualStore);
    const database = await openDatabase({ memory, threads, spillFolder: spillFolder(data) });
    const { connection, instance } = database;
    try {
      const folder = await openBuild(data); // before DuckDB spills into it
      const found = await findInputs(connection, settings, bucket, {}, context.progress);
      return await work({ ...found, settings, context, connection, folder });
    } finally {
      connection.closeSync();
      instance.closeSync();
      bucket?.close();
      await removeBuild(data);
    }
  });
}

/** Names the files of a warehouse, as they were when they were read. */
function identify({ schema_version, sources }: Inputs): string {
  return hash("sha256", JSON.stringify([schema_version, sources]));
}

/** The greatest year that the file of duplicates accepted. @throws InputError if there is none, or it was made from other files */
async function readNextYear({ connection, settings, inputs }: Job): Promise<number> {
  const { duplicates } = settings;
  const again = "make it with `make duplicates`";
  if ((await stat(duplicates).catch(() => undefined)) === undefined)
    throw new InputError(`DUPLICATES: "${duplicates}" does not exist; ${again}`);
  const sql = "SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata($path)";
  const read = await connection.runAndReadAll(sql, { path: literalPath(duplicates) });
  const found = new Map(read.getRows() as [string, string][]);
  if (found.get("warehouse") === identify(inputs)) return Number(found.get("next_year"));
  throw new InputError(`DUPLICATES: "${duplicates}" was made from other files than WAREHOUSE has; ${again}`);
}

type RangeBuild = {
  readonly release: string;
  readonly nextYear: number;
  readonly range: FunderRange;
};

async function buildRange(job: Job, build: RangeBuild): Promise<RangeManifest> {
  const { connection, warehouse, settings, context, folder } = job;
  const { nextYear, range } = build;
  const { progress } = context;
  const current = await findCurrent(settings.data);
  const before = current && (await findTables(releaseFolder(settings.data, current.id)));
  const source = { connection, warehouse, nextYear, progress, range };
  const ingested = await ingest(source, folder);
  await writeRangeTables(source, folder);
  const linked = before === undefined || settings.isForced ? [] : [before];
  const pagesJob = {
    connection,
    folder,
    progress,
    settings: { ranges: [], linked, threads: settings.threads },
  };
  const { rows, digests } = await makePages(pagesJob, await writeFunders(connection, folder));
  await writeFile(join(folder, parts.pages), rows);
  for (const part of [parts.searches, parts.names]) await writeFile(join(folder, part), "");
  return describe(job, build, ingested, {
    pages: countPageRows(rows),
    parts: await digestParts(folder, digests),
  });
}

/** The manifest of a range. Names, places and matches are empty: the join finds them. */
function describe(
  { inputs, warehouse, settings }: Job,
  { release, nextYear, range: { first, last } }: RangeBuild,
  { totals, recipientEinInvalid }: Ingested,
  made: Pick<Manifest, "pages" | "parts">,
): RangeManifest {
  const { site: _, ...shared } = inputs;
  return {
    ...{ ...shared, release, synced_at: releaseMoment(release), synthetic: warehouse.isSynthetic },
    ...{ releases_kept: settings.keep, totals, names: { organizations: 0, funders: 0 } },
    places: { funder_state: { source: null, unknown: 0 }, recipient_state: { source: null, unknown: 0 } },
    matches: noMatches("a range of funders"),
    range: { eins: { first, last }, next_year: nextYear, recipient_ein_invalid: recipientEinInvalid },
    ...made,
  };
}
