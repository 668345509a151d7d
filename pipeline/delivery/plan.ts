// Plans a publish: compares the current release with those whose files a bucket may have.
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { type Bucket, countWrites } from "../base/bucket/bucket.ts";
import { InputError } from "../base/failure.ts";
import { findCurrent } from "../releases/current.ts";
import { releaseFolder } from "../releases/folders.ts";
import type { Manifest } from "../releases/manifest.ts";
import { type ReleaseTables, readTables } from "../releases/tables.ts";
import { changesStart } from "./chain.ts";
import { type Change, findChanges, listFiles } from "./changes.ts";
import { publicStart, statusName } from "./objects.ts";
import { countBytes, fetchTables } from "./releaseParts.ts";
import type { PublishedState } from "./state.ts";

export type PublishSettings = {
  readonly data: string;
  /** Releases whose parts stay in the bucket, including the current one. */
  readonly keep: number;
  /** Uploads everything, and lists the bucket to find what is no longer needed. */
  readonly isForced: boolean;
  /** What the paths of `purge.txt` follow, e.g., "https://grants.example.org"; may be empty. */
  readonly origin: string;
  /** True if a sync is known to start every night. */
  readonly isSyncScheduled: boolean;
  /** When it starts, in minutes after midnight UTC. */
  readonly syncMinutes?: number;
};

/** The release to publish, where it is and where it goes. */
export type Publication = PublishSettings & {
  readonly bucket: Bucket;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly target: ReleaseTables;
};

/** @throws InputError if there is no current release, or it is damaged */
export async function openPublication(bucket: Bucket, settings: PublishSettings): Promise<Publication> {
  const current = await findCurrent(settings.data);
  if (current === undefined)
    throw new InputError(`DATA "${settings.data}" holds no release to publish. Run \`make sync\` first`);
  const folder = releaseFolder(settings.data, current.id);
  return { ...settings, bucket, folder, manifest: current.manifest, target: await readTables(folder) };
}

/** True if a bucket holds a release, and no publish was started after that. */
export function isPublished(state: PublishedState | undefined, release: string): boolean {
  return state?.release === release && state.started.length === 0;
}

/** What is left to do. */
export type BucketPlan = {
  /** The state to write before anything changes. */
  readonly state: Pick<PublishedState, "release" | "started" | "done">;
  /** The releases whose files the bucket may have. If there are none, nothing is known of the bucket, and it must be listed. */
  readonly releases: readonly ReleaseTables[];
};

/** Compares the release with those that the state names. */
export async function makePlan(
  { bucket, data, isForced, manifest: { release } }: Publication,
  state: PublishedState,
  note: (line: string) => void,
): Promise<BucketPlan> {
  const isResumed = state.started.at(-1) === release && !isForced;
  const done = isResumed ? state.done : 0;
  if (isForced || state.release === null)
    return { releases: [], state: { release: null, started: [release], done } };
  const others = isResumed ? state.started.slice(0, -1) : state.started;
  const ids = [state.release, ...others];
  const found = await Promise.all(ids.map((id) => fetchTables(bucket, id, data)));
  const releases = found.filter((tables) => tables !== undefined);
  if (releases.length < ids.length) {
    note("what the bucket holds is not known; everything is uploaded again");
    return { releases: [], state: { release: null, started: [release], done: 0 } };
  }
  return { releases, state: { release: state.release, started: [...others, release], done } };
}

/** The changes that are left. */
export function listChanges(target: ReleaseTables, { releases, state }: BucketPlan): IteratorObject<Change> {
  return findChanges(target, releases).drop(state.done);
}

/** Counts the changes that are left, the bytes to upload, and the requests that upload them. */
export function countChanges({ manifest, target }: Publication, plan: BucketPlan) {
  const counts = { upload: 0, delete: 0, bytes: 0, writes: 0 };
  for (const { kind, key, row } of listChanges(target, plan)) {
    counts[kind] += 1;
    if (kind === "delete") continue;
    const bytes = countBytes(manifest, key, row);
    counts.bytes += bytes;
    counts.writes += countWrites(bytes);
  }
  return counts;
}

/**
 * Lists the public objects that are not files of the release, except assets of the site and changes. There are none if the bucket's releases
 * are known.
 */
export async function* findUnexpected(
  bucket: Bucket,
  target: ReleaseTables,
  { releases }: BucketPlan,
): AsyncGenerator<string> {
  if (releases.length > 0) return;
  const expected = new Set([statusName]);
  for (const { key } of listFiles(target)) expected.add(publicStart + key);
  for await (const { name } of bucket.list(publicStart))
    if (
      !expected.has(name) &&
      !name.startsWith(changesStart) &&
      !isHashedPath(name.slice(publicStart.length - 1))
    )
      yield name;
}
