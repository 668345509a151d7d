// Publishes the current release to a bucket, so that a CDN can serve its pages and other machines can pull it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDownloadKey } from "../../api-static/contract/downloads.ts";
import { cacheBriefly, jsonType } from "../../api-static/contract/headers.ts";
import { readPublishedReport } from "../../api-static/release/report.ts";
import { formatStatus } from "../../api-static/release/status.ts";
import type { Bucket } from "../base/bucket/bucket.ts";
import { requestsAtOnce } from "../base/bucket/client.ts";
import { digestFile } from "../base/digests.ts";
import { DamagedError } from "../base/failure.ts";
import { allEnded } from "../base/parallel.ts";
import type { OnProgress, Progress } from "../base/progress.ts";
import { compareReleases } from "../releases/comparison.ts";
import { isContent, publicFilePath } from "../releases/pageFile.ts";
import { publishChain } from "./chain.ts";
import { type Change, countFiles } from "./changes.ts";
import { makeChanges } from "./changesDone.ts";
import { headersOf, publicStart, statusName } from "./objects.ts";
import {
  type BucketPlan,
  countChanges,
  findUnexpected,
  isPublished,
  listChanges,
  makePlan,
  openPublication,
  type Publication,
  type PublishSettings,
} from "./plan.ts";
import type { Purger } from "./purgers.ts";
import { countServerBytes, pruneParts, uploadServerParts, uploadTables } from "./releaseParts.ts";
import { HeldState, type HoldContext, readState } from "./state.ts";

/** What a publish needs in addition to its settings. */
export type PublishContext = HoldContext & {
  readonly progress: Progress;
  readonly clock: () => Date;
  readonly purger: Purger;
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
 * next publish does what is left.
 * @throws InputError if there is no release, or the bucket cannot be used; LockedError if another publisher is at work
 */
export async function publish(
  bucket: Bucket,
  settings: PublishSettings,
  context: PublishContext,
): Promise<PublishResult> {
  const publication = await openPublication(bucket, settings);
  const { isForced, manifest } = publication;
  const { release } = manifest;
  const found = isForced ? undefined : await readState(bucket);
  if (isPublished(found, release) && found?.publisher === null) return { release };
  const held = await HeldState.hold(bucket, context, isForced);
  try {
    // A publish that was killed at its end leaves old releases, and holds the bucket.
    const isDone = !isForced && isPublished(held.readForPlan(), release);
    const counts = isDone ? undefined : await publishHeld(publication, held, context);
    await pruneParts(bucket, release, settings.keep).catch((error: Error) =>
      context.note(`warning: old releases in the bucket were not removed: ${error.message}`),
    );
    await held.release();
    return { release, counts };
  } catch (error) {
    await held.abandon(release);
    throw error;
  }
}

/**
 * Publishes in one pass, or in more if publishers that had stalled change files meanwhile. The purge list has the changes of
 * all passes.
 */
async function publishHeld(
  publication: Publication,
  held: HeldState,
  context: PublishContext,
): Promise<PublishCounts> {
  const counts = { uploaded: 0, deleted: 0 };
  let purges: string[] = [];
  for (let { isForced } = publication; ; isForced = false) {
    const pass = await publishOnce({ ...publication, isForced }, held, context, purges);
    purges = pass.purges;
    counts.uploaded += pass.uploaded;
    counts.deleted += pass.deleted;
    if (await held.complete(publication.manifest.release)) break;
    context.note("another publisher changed files meanwhile; all files are compared again");
  }
  return { ...counts, files: countFiles(publication.target), purges: purges.length };
}

/** @param earlier the paths of earlier passes; those of this one are added to the returned ones */
async function publishOnce(
  publication: Publication,
  held: HeldState,
  context: PublishContext,
  earlier: readonly string[],
): Promise<ChangeCounts & { readonly purges: string[] }> {
  const { bucket, folder, manifest, target, data, origin, isSyncScheduled, syncMinutes } = publication;
  await uploadTables(publication);
  const plan = await makePlan(publication, held.readForPlan(), context.note);
  await held.begin(plan.state);
  const stop = (error: unknown) => {
    held.stop(error);
    throw error;
  };
  await publishChain(bucket, data, publication.isForced).catch(stop);
  const uploadParts = (onProgress: OnProgress) => uploadServerParts(publication, onProgress);
  const [counts] = await allEnded(
    applyChanges(publication, plan, held, context.progress).catch(stop),
    context.progress.run("upload parts", countServerBytes(manifest), "bytes", uploadParts).catch(stop),
  );
  const { purge } = compareReleases(target, plan.releases);
  const purges = earlier.length === 0 ? [...purge] : joinSorted(earlier, purge);
  await writeFile(join(data, "purge.txt"), listUrls(origin, purges));
  const report = readPublishedReport(folder);
  const status = formatStatus(manifest, report, context.clock(), isSyncScheduled, syncMinutes);
  await bucket.put(statusName, Buffer.from(status), { ContentType: jsonType, CacheControl: cacheBriefly });
  await context.purger.purge(purge, `${context.publisher}-${held.beat}`);
  return { ...counts, purges };
}

/** The different paths of two passes. A set could not hold those of more than 16 million funders. */
function joinSorted(...passes: readonly (readonly string[])[]): string[] {
  return passes
    .flat()
    .sort()
    .filter((path, index, all) => path !== all[index - 1]);
}

function* listUrls(origin: string, paths: readonly string[]): Generator<string> {
  for (const path of paths) yield `${origin}${path}\n`;
}

/** Uploads and deletes public files. */
async function applyChanges(
  publication: Publication,
  plan: BucketPlan,
  held: HeldState,
  progress: Progress,
): Promise<ChangeCounts> {
  const { bucket, target } = publication;
  const counts = countChanges(publication, plan);
  await progress.run("publish", counts.upload + counts.delete, "changes", (onProgress) =>
    makeChanges(
      listChanges(target, plan),
      requestsAtOnce,
      (change) => makeChange(publication, change),
      (done) => {
        held.countDone(plan.state.done + done);
        onProgress(done);
      },
    ),
  );
  let deleted = counts.delete;
  for await (const name of findUnexpected(bucket, target, plan)) {
    await bucket.delete(name);
    deleted += 1;
  }
  return { uploaded: counts.upload, deleted };
}

async function makeChange({ bucket, folder }: Publication, { kind, key, row }: Change): Promise<void> {
  const name = publicStart + key;
  if (kind === "delete") return bucket.delete(name);
  const path = join(folder, publicFilePath(key));
  const check = (isRight: boolean) => {
    if (!isRight)
      throw new DamagedError(`${key} of the release does not match its digest; run \`make verify\``);
  };
  if (parseDownloadKey(key) !== undefined) {
    const { bytes, sha256 } = await digestFile(path);
    check(Buffer.from(row).toString("hex") === sha256);
    return bucket.upload(name, path, bytes, headersOf(key));
  }
  const body = await readFile(path);
  check(isContent(row, body));
  await bucket.put(name, body, headersOf(key, body));
}
