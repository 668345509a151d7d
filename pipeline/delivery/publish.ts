// Publishes the current release to a bucket, so that a CDN can serve its pages and other machines can pull it.
import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDownloadKey } from "../../api-static/contract/answers/downloads.ts";
import { cacheBriefly, jsonType } from "../../api-static/contract/headers.ts";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { formatStatus, readPublishedReport } from "../../api-static/release/status.ts";
import type { Bucket } from "../base/bucket/bucket.ts";
import { requestsAtOnce } from "../base/bucket/client.ts";
import { digestFile } from "../base/digests.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { allEnded, forEachAtOnce } from "../base/parallel.ts";
import type { OnProgress, Progress } from "../base/progress.ts";
import { compareReleases } from "../releases/comparison.ts";
import { findCurrent } from "../releases/current.ts";
import { releaseFolder } from "../releases/folders.ts";
import { isContent, publicFilePath } from "../releases/pageFile.ts";
import { type ReleaseTables, readTables } from "../releases/tables.ts";
import { changesStart, publishChain } from "./chain.ts";
import { countFiles, findDeletions, findUploads, type PublicFile } from "./changes.ts";
import { headersOf, publicStart, statusName } from "./objects.ts";
import {
  fetchTables,
  listServerParts,
  type PartSource,
  pruneParts,
  uploadManifest,
  uploadParts,
} from "./releaseParts.ts";
import { HeldState, type HoldContext, readState } from "./state.ts";

export type PublishSettings = {
  readonly data: string;
  /** Releases whose parts stay in the bucket, including the current one. */
  readonly keep: number;
  /** Uploads everything, and lists the bucket to find what is no longer needed. */
  readonly isForced: boolean;
  /** True if the bucket sends no changes: then nothing else is changed either. */
  readonly isDryRun: boolean;
  /** What the paths of `purge.txt` follow, e.g., "https://grants.example.org"; may be empty. */
  readonly origin: string;
  /** True if a sync is known to start every night. */
  readonly isSyncScheduled: boolean;
  /** When it starts, in minutes after midnight UTC. */
  readonly syncMinutes?: number;
};

/** What a publish needs in addition to its settings. */
export type PublishContext = HoldContext & {
  readonly progress: Progress;
  readonly clock: () => Date;
  /** Purges URLs at a CDN. */
  readonly purge: (paths: readonly string[], reference: string) => Promise<void>;
};

/** The release to publish, where it is and where it goes. */
type Publication = PublishSettings & PartSource & { readonly target: ReleaseTables };

/** What a publish uploads and deletes. */
type Plan = {
  /** The release whose public files the bucket has; undefined if that is not known. */
  readonly before: ReleaseTables | undefined;
  /** ETags of files by key, if the bucket was listed. A file with this MD5 is not uploaded again. */
  readonly etags: ReadonlyMap<string, string>;
  /** Keys of the objects to delete, after all uploads: older pages link to them. */
  readonly deletions: readonly string[];
};

type ChangeCounts = { readonly uploaded: number; readonly deleted: number };

export type PublishCounts = ChangeCounts & {
  /** Public files of the release. */
  readonly files: number;
  /** Entries of the purge list. */
  readonly purges: number;
};

/** The release that the bucket now holds, and what was done for it; nothing if the bucket already held it. */
export type PublishResult = { readonly release: string; readonly counts?: PublishCounts | undefined };

/**
 * Makes a bucket hold the current release: its public files, and the parts that servers need. Uploads only what differs.
 * Readers of the bucket find every page that the previous release has too, at any moment. After a failure or a kill, the
 * next publish lists the bucket, and does what is left.
 * @throws InputError if there is no release, or the bucket cannot be used; LockedError if another publisher is at work
 */
export async function publish(
  bucket: Bucket,
  settings: PublishSettings,
  context: PublishContext,
): Promise<PublishResult> {
  const publication = await openPublication(bucket, settings);
  const { isForced, manifest, keep } = publication;
  const { release } = manifest;
  const { state } = await readState(bucket, isForced);
  if (state.release === release && state.publisher === null && !isForced) return { release };
  const held = await HeldState.hold(bucket, context, isForced);
  try {
    // Another publisher may have published the same release while this one waited for it.
    const isDone = held.readForPlan() === release && !isForced;
    const counts = isDone ? undefined : await publishHeld(publication, held, context);
    await pruneParts(bucket, manifest, keep).catch((error: Error) =>
      context.note(`warning: old releases in the bucket were not removed: ${error.message}`),
    );
    await held.release();
    return { release, counts };
  } catch (error) {
    await held.abandon();
    throw error;
  }
}

/** @throws InputError if there is no current release, or it is damaged */
async function openPublication(bucket: Bucket, settings: PublishSettings): Promise<Publication> {
  const current = await findCurrent(settings.data);
  if (current === undefined)
    throw new InputError(`DATA "${settings.data}" holds no release to publish. Run \`make sync\` first`);
  const folder = releaseFolder(settings.data, current.id);
  return { ...settings, bucket, folder, manifest: current.manifest, target: await readTables(folder) };
}

/** Publishes in one pass, or in more if publishers that had stalled change files meanwhile. */
async function publishHeld(
  publication: Publication,
  held: HeldState,
  context: PublishContext,
): Promise<PublishCounts> {
  const counts = { uploaded: 0, deleted: 0 };
  for (let { isForced } = publication; ; isForced = false) {
    const { uploaded, deleted, purges } = await publishOnce({ ...publication, isForced }, held, context);
    counts.uploaded += uploaded;
    counts.deleted += deleted;
    if (await held.complete(publication.manifest.release))
      return { ...counts, files: countFiles(publication.target), purges };
    context.note("another publisher changed files meanwhile; all files are compared again");
  }
}

async function publishOnce(
  publication: Publication,
  held: HeldState,
  context: PublishContext,
): Promise<ChangeCounts & { readonly purges: number }> {
  const { bucket, folder, manifest, target, data, isForced, isSyncScheduled, syncMinutes } = publication;
  await uploadManifest(publication);
  const plan = await makePlan(publication, held.readForPlan());
  const stop = (error: unknown) => {
    held.stop(error);
    throw error;
  };
  await publishChain(bucket, data, isForced).catch(stop);
  const partBytes = listServerParts(manifest).reduce((sum, [, { bytes }]) => sum + bytes, 0);
  const upload = (onProgress: OnProgress) => uploadParts(publication, onProgress);
  const [counts] = await allEnded(
    applyPlan(publication, plan, context.progress).catch(stop),
    context.progress.run("upload parts", partBytes, "bytes", upload).catch(stop),
  );
  const { purge } = compareReleases(target, plan.before);
  if (!publication.isDryRun) await writeFile(join(data, "purge.txt"), listUrls(publication.origin, purge));
  const report = readPublishedReport(folder);
  const status = formatStatus(manifest, report, context.clock(), isSyncScheduled, syncMinutes);
  await bucket.put(statusName, Buffer.from(status), { ContentType: jsonType, CacheControl: cacheBriefly });
  if (!publication.isDryRun) await context.purge(purge, `${context.publisher}-${held.beat}`);
  return { ...counts, purges: purge.length };
}

/** Compares the release with the one in the bucket, by their tables. If that one is not known, lists the bucket. */
async function makePlan(publication: Publication, release: string | null): Promise<Plan> {
  const { bucket, target, data, isForced } = publication;
  const before = isForced || release === null ? undefined : await fetchTables(bucket, release, data);
  if (before !== undefined)
    return { before, etags: new Map(), deletions: [...findDeletions(target, before)] };
  const etags = new Map<string, string>();
  for await (const { name, etag } of bucket.list(publicStart))
    if (name !== statusName && !name.startsWith(changesStart))
      etags.set(name.slice(publicStart.length), etag);
  const others = new Set(etags.keys());
  for (const { key } of findUploads(target)) others.delete(key);
  const deletions = [...others].filter((key) => !isHashedPath(`/${key}`));
  return { before, etags: isForced ? new Map() : etags, deletions };
}

function* listUrls(origin: string, paths: readonly string[]): Generator<string> {
  for (const path of paths) yield `${origin}${path}\n`;
}

/** Uploads public files, then deletes others. */
async function applyPlan(publication: Publication, plan: Plan, progress: Progress): Promise<ChangeCounts> {
  const { bucket, target } = publication;
  const uploads = () => findUploads(target, plan.before);
  const total = uploads().reduce((count) => count + 1, plan.deletions.length);
  return progress.run("publish", total, "changes", async (onProgress) => {
    let done = 0;
    let uploaded = 0;
    await forEachAtOnce(uploads(), requestsAtOnce, async (file) => {
      if (await uploadFile(publication, file, plan.etags.get(file.key))) uploaded += 1;
      onProgress(++done);
    });
    await forEachAtOnce(plan.deletions, requestsAtOnce, async (key) => {
      await bucket.delete(publicStart + key);
      onProgress(++done);
    });
    return { uploaded, deleted: plan.deletions.length };
  });
}

/** Uploads a file unless an object with this ETag is the same. Downloads may be too large to have the ETag of their bytes. */
async function uploadFile(
  { bucket, folder }: Publication,
  { key, row }: PublicFile,
  etag: string | undefined,
): Promise<boolean> {
  const path = join(folder, publicFilePath(key));
  const check = (isRight: boolean) => {
    if (!isRight)
      throw new DamagedError(`${key} of the release does not match its digest; run \`make verify\``);
  };
  if (parseDownloadKey(key) !== undefined) {
    const { bytes, sha256 } = await digestFile(path);
    check(Buffer.from(row).toString("hex") === sha256);
    await bucket.upload(publicStart + key, path, bytes, headersOf(key));
    return true;
  }
  const body = await readFile(path);
  check(isContent(row, body));
  if (etag === hash("md5", body)) return false;
  await bucket.put(publicStart + key, body, headersOf(key, body));
  return true;
}
