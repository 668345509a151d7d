// Makes a release from the warehouse: reads, passes the gate, builds, seals, verifies, and makes it current.
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { rulesVersion } from "../api-static/contract/answers/matches.ts";
import type { StoreSettings } from "./base/bucket/address.ts";
import { RefusedError } from "./base/failure.ts";
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
import { extendChain } from "./releases/changes/chain.ts";
import { writeEntry } from "./releases/changes/entry.ts";
import {
  activateRelease,
  type FoundRelease,
  findCurrentId,
  findNewest,
  flush,
  placeRelease,
} from "./releases/current.ts";
import { freeReleaseId, openBuild, refuseBuild, releaseFolder, releaseMoment } from "./releases/folders.ts";
import { checkGate, findGateFailures } from "./releases/gate.ts";
import type { FoundInputs } from "./releases/inputs.ts";
import { type Manifest, schemaVersion } from "./releases/manifest.ts";
import { pruneReleases } from "./releases/retention.ts";
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
export type Job = {
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

/** Reads the warehouse, passes the gate, builds, seals, verifies and activates a release. */
export async function makeRelease(job: Job): Promise<SyncResult> {
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
          firstYear: Math.min(...facts.years),
          lastYear: Math.max(...facts.years),
          isSynthetic: job.warehouse.isSynthetic,
          hasNames: job.organizations !== undefined,
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

/** Waits for work whose failure must not change how the run ends. */
export async function warnOfFailure(
  { progress }: SyncContext,
  what: string,
  work: Promise<unknown>,
): Promise<void> {
  await work.catch((error: unknown) => {
    progress.note(`warning: ${what}: ${error instanceof Error ? error.message : String(error)}`);
  });
}
