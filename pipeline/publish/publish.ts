// Publishes the current release to a bucket, so that a CDN can serve its pages and other machines can pull it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheBriefly, jsonType } from "../../api-static/contract/headers.ts";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { readPublishedReport } from "../../api-static/release/report.ts";
import { formatStatus } from "../../api-static/release/status.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { allEnded } from "../base/parallel.ts";
import type { OnProgress, Progress } from "../base/progress.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { requestsAtOnce } from "../bucket/client.ts";
import { compareReleases } from "../releases/comparison.ts";
import { type FoundRelease, findCurrent } from "../releases/current.ts";
import { releaseFolder } from "../releases/folders.ts";
import { isContent, publicFilePath } from "../releases/pageFile.ts";
import { type ReleaseTables, readTables } from "../releases/tables.ts";
import { type Change, countFiles, findChanges, listFiles } from "./changes.ts";
import { makeChanges } from "./changesDone.ts";
import { countPartRequests, type Estimate } from "./estimate.ts";
import { headersOf, publicStart, statusName } from "./objects.ts";
import type { Purger } from "./purgers.ts";
import {
  bytesOf,
  countBytes,
  countServerBytes,
  fetchTables,
  findMissingParts,
  pruneParts,
  uploadServerParts,
  uploadTables,
} from "./releaseParts.ts";
import { emptyState, HeldState, type HoldContext, type PublishedState, readState } from "./state.ts";

export type PublishSettings = {
  readonly data: string;
  /** Releases whose parts stay in the bucket, including the current one. */
  readonly keep: number;
  /** Uploads everything, and lists the bucket to find what is no longer needed. */
  readonly isForced: boolean;
  /** What the paths of `purge.txt` follow, e.g., "https://grants.example.org"; may be empty. */
  readonly origin: string;
};

/** What a publish needs in addition to its settings. */
export type PublishContext = HoldContext & {
  readonly progress: Progress;
  readonly clock: () => Date;
  readonly purger: Purger;
};

export type PublishResult = {
  readonly release: string;
  readonly uploaded: number;
  readonly deleted: number;
  /** Public files of the release. */
  readonly files: number;
  /** Entries of the purge list. */
  readonly purges: number;
};

/** What the steps of one publish share. */
type Publication = {
  readonly settings: PublishSettings;
  readonly context: PublishContext;
  readonly bucket: Bucket;
  readonly folder: string;
  readonly current: FoundRelease;
  readonly target: ReleaseTables;
};

/**
 * Makes a bucket hold the current release: its public files, and the parts that servers need. Uploads only what differs.
 * Readers of the bucket find every page that the previous release has too, at any moment. After a failure or a kill, the
 * next publish does what is left. Returns undefined if the bucket already holds the release.
 * @throws InputError if there is no release, or the bucket cannot be used; LockedError if another publisher is at work
 */
export async function publish(
  bucket: Bucket,
  settings: PublishSettings,
  context: PublishContext,
): Promise<PublishResult | undefined> {
  const job = await openJob(bucket, settings, context);
  const found = settings.isForced ? undefined : await readState(bucket);
  if (isPublished(found, job) && found?.publisher === null) return undefined;
  const { id } = job.current;
  const held = await HeldState.hold(bucket, context, settings.isForced);
  try {
    // A publish that was killed at its end leaves old releases, and holds the bucket.
    const isDone = !settings.isForced && isPublished(held.readForPlan(), job);
    const result = isDone ? undefined : await publishHeld(job, held);
    await pruneParts(bucket, id, settings.keep).catch((error: Error) =>
      context.note(`warning: old releases in the bucket were not removed: ${error.message}`),
    );
    await held.release();
    return result;
  } catch (error) {
    await held.abandon(id);
    throw error;
  }
}

/** Finds out what a publish would do, without changing anything. It reads no more than a publish does. */
export async function estimatePublish(
  bucket: Bucket,
  settings: PublishSettings,
  context: PublishContext,
): Promise<Estimate | undefined> {
  const job = await openJob(bucket, settings, context);
  const { current, target } = job;
  const state = settings.isForced ? undefined : await readState(bucket);
  if (isPublished(state, job)) return undefined;
  const plan = await makePlan(job, state ?? emptyState);
  const counts = { upload: 0, delete: 0, bytes: 0 };
  for (const { kind, key, row } of findChanges(target, plan.releases).drop(plan.state.done)) {
    counts[kind] += 1;
    if (kind === "upload") counts.bytes += countBytes(current.manifest, key, row);
  }
  const paths = await findMissingParts(bucket, current.manifest, settings.isForced);
  const forParts = countPartRequests(current.manifest, paths);
  // The state at the start, before the changes, and twice at the end; the status; the list of the bucket's releases.
  const write = forParts.write + counts.upload + 6;
  const requests = { write, read: forParts.read + 2, delete: counts.delete };
  return {
    ...{ release: current.id, uploads: counts.upload, uploadBytes: counts.bytes, deletions: counts.delete },
    parts: paths.length,
    partBytes: paths.reduce((sum, path) => sum + bytesOf(current.manifest, path), 0),
    ...{ purges: compareReleases(target, plan.releases).purge.length, requests },
  };
}

async function openJob(
  bucket: Bucket,
  settings: PublishSettings,
  context: PublishContext,
): Promise<Publication> {
  const current = await findCurrent(settings.data);
  if (current === undefined)
    throw new InputError(`DATA "${settings.data}" holds no release to publish. Run \`make sync\` first`);
  const folder = releaseFolder(settings.data, current.id);
  return { settings, context, bucket, folder, current, target: await readTables(folder) };
}

function isPublished(state: PublishedState | undefined, { current }: Publication): boolean {
  return state?.release === current.id && state.started.length === 0;
}

/**
 * Publishes in one pass, or in more if publishers that stood still change files meanwhile. The purge list has the changes of
 * all passes.
 */
async function publishHeld(job: Publication, held: HeldState): Promise<PublishResult> {
  const { settings, context, current, target } = job;
  const counts = { uploaded: 0, deleted: 0 };
  const purges = new Set<string>();
  for (let isForced = settings.isForced; ; isForced = false) {
    const pass = await publishOnce({ ...job, settings: { ...settings, isForced } }, held, purges);
    counts.uploaded += pass.uploaded;
    counts.deleted += pass.deleted;
    if (await held.complete(current.id)) break;
    context.note("another publisher changed files meanwhile; all files are compared again");
  }
  return { release: current.id, ...counts, files: countFiles(target), purges: purges.size };
}

/** @param purges receives the paths to purge */
async function publishOnce(job: Publication, held: HeldState, purges: Set<string>): Promise<ChangeCounts> {
  const { bucket, context, current, folder, target } = job;
  const { manifest } = current;
  const source = { bucket, folder, manifest, isForced: job.settings.isForced };
  await uploadTables(source);
  const plan = await makePlan(job, held.readForPlan());
  await held.begin(plan.state);
  const stop = (error: unknown) => {
    held.stop(error);
    throw error;
  };
  const uploadParts = (onProgress: OnProgress) => uploadServerParts(source, onProgress);
  const [counts] = await allEnded(
    applyChanges(job, plan, held).catch(stop),
    context.progress.run("upload parts", countServerBytes(manifest), "bytes", uploadParts).catch(stop),
  );
  const status = formatStatus(manifest, readPublishedReport(folder), context.clock());
  await bucket.put(statusName, Buffer.from(status), { ContentType: jsonType, CacheControl: cacheBriefly });
  const { purge } = compareReleases(target, plan.releases);
  for (const path of purge) purges.add(path);
  const urls = [...purges].map((path) => `${job.settings.origin}${path}\n`);
  await writeFile(join(job.settings.data, "purge.txt"), urls.join(""));
  await context.purger.purge(purge, `${context.publisher}-${held.beat}`);
  return counts;
}

type ChangeCounts = { readonly uploaded: number; readonly deleted: number };

/** What is left to do. */
type BucketPlan = {
  /** The state to write before anything changes. */
  readonly state: Pick<PublishedState, "release" | "started" | "done">;
  /** The releases whose files the bucket may have. If there are none, nothing is known of the bucket, and it must be listed. */
  readonly releases: readonly ReleaseTables[];
};

/** Compares the release with what the state says of the bucket. */
async function makePlan(job: Publication, state: PublishedState): Promise<BucketPlan> {
  const { settings, context, bucket, current } = job;
  const isResumed = state.started.at(-1) === current.id && !settings.isForced;
  const done = isResumed ? state.done : 0;
  if (settings.isForced || state.release === null)
    return { releases: [], state: { release: null, started: [current.id], done } };
  const others = isResumed ? state.started.slice(0, -1) : state.started;
  const ids = [state.release, ...others];
  const found = await Promise.all(ids.map((id) => fetchTables(bucket, id, settings.data)));
  const releases = found.filter((files) => files !== undefined);
  if (releases.length < ids.length) {
    context.note("what the bucket holds is not known; everything is uploaded again");
    return { releases: [], state: { release: null, started: [current.id], done: 0 } };
  }
  return { releases, state: { release: state.release, started: [...others, current.id], done } };
}

/** Uploads and deletes public files. */
async function applyChanges(
  job: Publication,
  plan: BucketPlan,
  held: HeldState,
): Promise<ChangeCounts> {
  const { bucket, context, target } = job;
  const counts = { upload: 0, delete: 0 };
  for (const { kind } of findChanges(target, plan.releases)) counts[kind] += 1;
  const total = counts.upload + counts.delete - plan.state.done;
  await context.progress.run("publish", total, "changes", async (onProgress) => {
    const left = findChanges(target, plan.releases).drop(plan.state.done);
    await makeChanges(
      left,
      requestsAtOnce,
      (change) => makeChange(job, change),
      (done) => {
        held.countDone(plan.state.done + done);
        onProgress(done);
      },
    );
  });
  if (plan.releases.length === 0) counts.delete += await deleteUnexpected(bucket, target);
  return { uploaded: counts.upload, deleted: counts.delete };
}

async function makeChange({ bucket, folder }: Publication, { kind, key, row }: Change): Promise<void> {
  const name = publicStart + key;
  if (kind === "delete") return bucket.delete(name);
  const body = await readFile(join(folder, publicFilePath(key)));
  if (!isContent(row, body))
    throw new DamagedError(`${key} of the release does not match its digest; run \`make verify\``);
  await bucket.put(name, body, headersOf(key, body));
}

/** Deletes the public objects that are not files of the release, except assets of the site; returns how many. */
async function deleteUnexpected(bucket: Bucket, target: ReleaseTables): Promise<number> {
  const expected = new Set([statusName]);
  for (const { key } of listFiles(target)) expected.add(publicStart + key);
  let deleted = 0;
  for await (const { name } of bucket.list(publicStart)) {
    if (expected.has(name) || isHashedPath(name.slice(publicStart.length - 1))) continue;
    await bucket.delete(name);
    deleted += 1;
  }
  return deleted;
}
