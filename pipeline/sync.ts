// Runs one nightly sync: from the warehouse to a new current release.
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { rulesVersion } from "../api-static/contract/matches.ts";
import { type StoreSettings, usualStore } from "./base/bucket/address.ts";
import { openDatabase } from "./base/database.ts";
import { DamagedPagesError, RefusedError } from "./base/failure.ts";
import { withLock } from "./base/lock.ts";
import { allEnded } from "./base/parallel.ts";
import type { Progress } from "./base/progress.ts";
import type { MatchSources } from "./match/match.ts";
import { type BuildFacts, type BuildSettings, type Built, buildParts } from "./parts/build.ts";
import { placeSources } from "./parts/index/places.ts";
import { ingest, type Source } from "./parts/ingest.ts";
import { writeOrganizations } from "./parts/organizations.ts";
import { readLearned } from "./parts/pages/learnedSearches.ts";
import { writeProfiles } from "./parts/profiles.ts";
import { sealRelease } from "./parts/seal.ts";
import { checkSite, digestSite } from "./parts/site.ts";
import { extendChain } from "./releases/changes/chain.ts";
import { writeEntry } from "./releases/changes/entry.ts";
import {
  activateRelease,
  type FoundRelease,
  findCurrent,
  findCurrentId,
  findNewest,
  flush,
  placeRelease,
} from "./releases/current.ts";
import {
  freeReleaseId,
  makeDataFolder,
  openBuild,
  refuseBuild,
  releaseFolder,
  releaseMoment,
  removeBuild,
  removeTables,
  spillFolder,
  tablesFile,
} from "./releases/folders.ts";
import { checkGate, findGateFailures } from "./releases/gate.ts";
import { type FoundInputs, findInputs, isMadeFrom, listBucket } from "./releases/inputs.ts";
import { type Manifest, schemaVersion } from "./releases/manifest.ts";
import { pruneReleases } from "./releases/retention.ts";
import { findRolledBack } from "./releases/rollbacks.ts";
import { findTables, type ReleaseTables } from "./releases/tables.ts";
import { readFacts } from "./report/facts.ts";
import { type Report, writeReport } from "./report/report.ts";
import type { SyncSettings } from "./settings.ts";
import { checkBuiltRelease } from "./verify/verify.ts";
import { type FinancesFile, formatMissing, type OrganizationsFile } from "./warehouse/organizations.ts";
import type { Warehouse } from "./warehouse/warehouse.ts";

/** What a sync needs in addition to its settings. */
export type SyncContext = {
  readonly progress: Progress;
  readonly clock: () => Date;
  /** Folder of the built site. */
  readonly site: string;
  /** How to reach a warehouse in a bucket. */
  readonly store?: StoreSettings;
};

export type SyncResult =
  | {
      readonly isNew: false;
      readonly release: string;
      /** The release with these inputs that a person rolled back from. */
      readonly rolledBack: string | undefined;
    }
  | {
      readonly isNew: true;
      readonly release: string;
      readonly manifest: Manifest;
      readonly report: Report;
      /** Duration of the whole sync. The report is written before the verification. */
      readonly seconds: number;
    };

/** What the steps of one sync share. */
type Job = {
  readonly settings: SyncSettings;
  readonly context: SyncContext;
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  readonly warehouse: Warehouse;
  readonly organizations: OrganizationsFile | undefined;
  readonly finances: FinancesFile | undefined;
  readonly objections: FoundInputs["objections"];
  readonly sealed: FoundInputs["sealed"];
  /** The release that is served while the new one is built. */
  readonly current: FoundRelease | undefined;
  readonly start: Date;
};

/**
 * Makes a release from the warehouse and makes it current. Does nothing if the current one has the same inputs, or if a
 * person rolled back from a release with these inputs. After any failure the current release is still being served.
 * @throws InputError if the warehouse or a setting is wrong or the site is not built, RefusedError if the quality gate refuses the release,
 * LockedError if another sync, a pull or a rollback is running
 */
export async function sync(settings: SyncSettings, context: SyncContext): Promise<SyncResult> {
  const start = context.clock();
  await checkSite(context.site);
  await makeDataFolder(settings.data);
  return withLock(settings.data, async () => {
    try {
      const healed = extendChain(settings.data, context.clock); // a run may have been killed
      await warnOfFailure(context, "the index of changes was not completed", healed);
      return await syncOnce(settings, context, start);
    } catch (error) {
      if (!(error instanceof DamagedPagesError) || settings.isForced) throw error;
      context.progress.note(error.message);
      context.progress.note("page files of the current release are damaged: all pages are built again");
      return await syncOnce({ ...settings, isForced: true }, context, start);
    } finally {
      await warnOfFailure(
        context,
        "temporary files of this run were not removed",
        removeBuild(settings.data),
      );
    }
  });
}

async function syncOnce(settings: SyncSettings, context: SyncContext, start: Date): Promise<SyncResult> {
  const bucket = await listBucket(settings, context.store ?? usualStore);
  await removeTables(settings.data); // a run may have been killed
  const { instance, connection } = await openDatabase({
    memory: settings.memory,
    threads: settings.threads,
    spillFolder: spillFolder(settings.data),
    file: tablesFile(settings.data),
  });
  try {
    const { progress } = context;
    const site = await digestSite(context.site);
    const current = await findCurrent(settings.data);
    const isNewer = settings.isForced || current === undefined;
    if (!isNewer && bucket !== undefined && isMadeFrom(bucket, current.manifest, settings, site))
      return { isNew: false, release: current.id, rolledBack: undefined };
    const found = await findInputs(connection, settings, bucket, site, progress);
    if (!isNewer) {
      const { made_from } = found.sealed;
      const isSame = current.manifest.made_from === made_from;
      const rolledBack = isSame ? undefined : await findRolledBack(settings.data, made_from, progress.note);
      if (isSame || rolledBack !== undefined) return { isNew: false, release: current.id, rolledBack };
    }
    const job = { settings, context, instance, connection, ...found, current, start };
    return await makeRelease(job);
  } finally {
    connection.closeSync();
    instance.closeSync();
    bucket?.close();
  }
}

/** Reads the warehouse, passes the gate, builds, seals, verifies and activates a release. */
async function makeRelease(job: Job): Promise<SyncResult> {
  const { settings, context, connection, warehouse } = job;
  const id = await freeReleaseId(settings.data, job.start);
  const { progress } = context;
  const stepsBefore = progress.steps.length;
  const folder = await openBuild(settings.data);
  try {
    const source = sourceOf(job);
    const { current } = job;
    const comparable = current?.manifest.schema_version === schemaVersion ? current : undefined;
    const before = comparable && (await findTables(releaseFolder(settings.data, comparable.id)));
    const ingested = await ingest(source, folder);
    const served = current ?? (await findLastKept(job));
    const { accepted, totals } = ingested;
    const failures = findGateFailures(ingested, totals, served?.manifest.totals, settings.gate);
    const facts = await progress.run("count totals", accepted, "grants", () =>
      readFacts(connection, warehouse),
    );
    const reported = {
      release: id,
      warehouse,
      ingested,
      facts,
      before: comparable,
      failures,
      accept: settings.gate.accept,
      progress,
      stepsBefore,
    };
    // If the gate refuses the release, this report is kept with the rejects; otherwise a complete one replaces it.
    await writeReport(folder, { ...reported, built: undefined, seconds: countSeconds(job) });
    checkGate(failures, settings.gate.accept);

    if (job.organizations === undefined) progress.note(formatMissing(settings.warehouse));
    await progress.run("read names", accepted, "grants", () =>
      writeOrganizations(connection, job.organizations, folder, progress.note),
    );
    const profiles = await progress.run("read finances", job.finances?.file.rows ?? 0, "years", () =>
      writeProfiles(connection, { finances: job.finances, nextYear: source.nextYear }, folder, progress.note),
    );
    const years = facts.years.map(({ year }) => year);
    const built = await build(job, source, folder, before, id, { records: accepted, years });
    const report = await writeReport(folder, { ...reported, built, seconds: countSeconds(job) });
    const { isSynthetic: synthetic } = warehouse;
    const sealed = { ...job.sealed, profiles, release: id, synthetic, releases_kept: settings.keep, totals };
    const manifest = await progress.run("seal release", accepted, "grants", () =>
      sealRelease(folder, sealed, built),
    );
    await makeCurrent(job, folder, manifest);
    return { isNew: true, release: id, manifest, report, seconds: countSeconds(job) };
  } catch (error) {
    if (error instanceof RefusedError)
      await warnOfFailure(context, "the refused release was not kept", refuseBuild(settings.data));
    throw error;
  }
}

/** Verifies a sealed release, writes what it changes, and makes it current. */
async function makeCurrent({ settings, context }: Job, folder: string, manifest: Manifest): Promise<void> {
  const { data, memory, threads, keep } = settings;
  const { release, totals } = manifest;
  const bounds = { memory, threads, spillFolder: `${folder}.spill` };
  await allEnded(
    flush(folder), // while it is verified: verification reads what is still in memory
    context.progress.run("verify", totals.records, "grants", () => checkBuiltRelease(folder, bounds)),
  );
  await writeEntry({ data, from: await findCurrentId(data), folder, manifest }, { ...context, bounds });
  await placeRelease(data, release);
  await activateRelease(data, release);
  const after = async (problem: string, work: Promise<unknown>) =>
    warnOfFailure(context, `release ${release} is current, but ${problem}`, work);
  await after("the index of changes does not have it yet", extendChain(data, context.clock));
  await after("old releases were not removed", pruneReleases(data, keep, context.progress.note));
}

/** Waits for work whose failure must not change how the run ends. */
async function warnOfFailure({ progress }: SyncContext, what: string, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    progress.note(`warning: ${what}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

function sourceOf({ context, connection, warehouse, start }: Job): Source {
  return { connection, warehouse, nextYear: start.getUTCFullYear() + 1, progress: context.progress };
}

/** The release that the gate compares with if the current one cannot be read: a damaged manifest must not open the gate. */
async function findLastKept({ settings, context }: Job): Promise<FoundRelease | undefined> {
  const found = await findNewest(settings.data);
  if (found !== undefined)
    context.progress.note(
      `warning: no current release can be read; the gate compares with release ${found.id}`,
    );
  return found;
}

/** Agreement is compared with the current release's, if the same rules made its matches. */
function matchSources({ warehouse, organizations, objections, current }: Job): MatchSources {
  const { recipient_state, recipient_city, recipient_zip } = warehouse.columns;
  const last = current?.manifest.matches; // a release of an earlier version has none
  return {
    hasPlaces: recipient_state !== undefined && (recipient_city ?? recipient_zip) !== undefined,
    hasList: organizations !== undefined,
    before: last?.rules_version === rulesVersion ? last.rules : [],
    objections,
  };
}

/** Builds the parts from the ingested grants, and links the pages that the current release has too. */
async function build(
  job: Job,
  source: Source,
  folder: string,
  before: ReleaseTables | undefined,
  release: string,
  facts: BuildFacts,
): Promise<Built> {
  const { settings, context, instance, connection, start } = job;
  const buildSettings: BuildSettings = {
    release,
    places: placeSources(job.warehouse, job.organizations),
    matches: matchSources(job),
    threads: settings.threads,
    site: context.site,
    before,
    known: settings.isForced ? undefined : before,
    dataset: settings.downloads
      ? {
          moment: releaseMoment(release),
          ...{ firstYear: Math.min(...facts.years), lastYear: Math.max(...facts.years) },
          ...{ isSynthetic: job.warehouse.isSynthetic, hasNames: job.organizations !== undefined },
        }
      : undefined,
    searches: settings.searches,
    learned: await readLearned(connection, settings.data, start, settings.searches.learned, (line) =>
      context.progress.note(line),
    ),
  };
  return buildParts(instance, source, facts, folder, buildSettings);
}

function countSeconds({ context, start }: Job): number {
  return (context.clock().getTime() - start.getTime()) / 1000;
}
