// Plans a publish: which public files of a release a bucket lacks, and which of its objects the release does not have.
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import type { Bucket } from "../base/bucket/bucket.ts";
import type { ReleaseTables } from "../releases/tables.ts";
import { changesStart } from "./chain.ts";
import { findDeletions, findUploads } from "./changes.ts";
import { publicStart, statusName } from "./objects.ts";
import { fetchTables } from "./releaseParts.ts";

/** What a publish uploads and deletes. */
export type Plan = {
  /** The release whose public files the bucket has; undefined if that is not known. */
  readonly before: ReleaseTables | undefined;
  /** ETags of files by key, if the bucket was listed. A file with this MD5 is not uploaded again. */
  readonly etags: ReadonlyMap<string, string>;
  /** Keys of the objects to delete, after all uploads: older pages link to them. */
  readonly deletions: readonly string[];
};

/**
 * Compares a release with the one in the bucket, by their tables. If that one is not known, lists the bucket.
 * @param isForced to upload all files, whatever the bucket has
 */
export async function makePlan(
  bucket: Bucket,
  target: ReleaseTables,
  data: string,
  release: string | null,
  isForced: boolean,
): Promise<Plan> {
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
