// Uploads a release's parts that servers need, and removes those of old releases.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { parts, releaseIdPattern } from "../../api-static/release/layout.ts";
import { formatAddress } from "../base/bucket/address.ts";
import type { Bucket } from "../base/bucket/bucket.ts";
import type { FileDigest } from "../base/digests.ts";
import { InputError } from "../base/failure.ts";
import type { OnProgress } from "../base/progress.ts";
import { releaseFolder } from "../releases/folders.ts";
import type { Manifest } from "../releases/manifest.ts";
import { findTables, listSiteRows, type ReleaseTables, tableParts } from "../releases/tables.ts";
import { privateHeaders, publicStart, releasesStart } from "./objects.ts";

/** The name of a part of a release in a bucket. */
export function partName(release: string, part: string): string {
  return `${releasesStart}${release}/${part}`;
}

/** Paths and digests of a release's files that are not public, the manifest excepted. */
export function listServerParts({ parts: all }: Manifest): [string, FileDigest][] {
  return Object.entries(all).filter(([path]) => !path.startsWith(`${parts.public}/`));
}

/** A release whose parts are uploaded. */
export type PartSource = {
  readonly bucket: Bucket;
  readonly folder: string;
  readonly manifest: Manifest;
  /** Uploads parts even if the bucket seems to have them. */
  readonly isForced: boolean;
};

/**
 * Uploads the manifest of a release, which names the assets that are removed with it.
 * @throws InputError if the bucket's manifest of this id is another one
 */
export async function uploadManifest({ bucket, folder, manifest, isForced }: PartSource): Promise<void> {
  const name = partName(manifest.release, parts.manifest);
  const text = await readFile(join(folder, parts.manifest));
  const stored = isForced ? undefined : await bucket.get(name);
  if (stored !== undefined && !stored.body.equals(text))
    throw new InputError(
      `${formatAddress(bucket.address, name)} is damaged, or belongs to another release with the same id. FORCE=1 replaces it`,
    );
  await bucket.abortUploads(""); // of parts and of downloads
  if (stored === undefined) await bucket.put(name, text, privateHeaders);
}

/**
 * The tables of a release that was published to a bucket. They are read from the data folder if that still has them intact.
 * Undefined if the bucket does not have them, or another version made them.
 */
export async function fetchTables(
  bucket: Bucket,
  release: string,
  data: string,
): Promise<ReleaseTables | undefined> {
  const manifest = await bucket.get(partName(release, parts.manifest));
  if (manifest === undefined) return undefined;
  const local = releaseFolder(data, release);
  const kept = await readFile(join(local, parts.manifest)).catch(() => undefined);
  const tables = kept?.equals(manifest.body) ? await findTables(local) : undefined;
  if (tables !== undefined) return tables;
  const folder = await mkdtemp(join(tmpdir(), "publish-"));
  try {
    for (const part of [parts.manifest, ...tableParts])
      if (!(await bucket.download(partName(release, part), join(folder, part)))) return undefined;
    return await findTables(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Uploads the other parts of a release that servers need, unless the bucket has them.
 * @param onProgress receives the number of bytes done
 */
export async function uploadParts(source: PartSource, onProgress: OnProgress): Promise<void> {
  const { bucket, folder, manifest, isForced } = source;
  let done = 0;
  for (const [path, { bytes, sha256 }] of listServerParts(manifest)) {
    const name = partName(manifest.release, path);
    const stored = isForced ? undefined : await bucket.head(name);
    if (stored?.bytes !== bytes || stored.metadata.sha256 !== sha256)
      await bucket.upload(name, join(folder, path), bytes, { ...privateHeaders, Metadata: { sha256 } });
    done += bytes;
    onProgress(done);
  }
}

/**
 * Removes the parts of all releases but the newest ones, and the assets of the site that only they have. The manifest goes
 * last, so that a run that is stopped can be repeated.
 * @param keep how many releases stay, the current one included
 */
export async function pruneParts(bucket: Bucket, current: Manifest, keep: number): Promise<void> {
  const names = new Map<string, string[]>();
  for await (const { name } of bucket.list(releasesStart)) {
    const id = name.slice(releasesStart.length).split("/")[0] ?? "";
    if (releaseIdPattern.test(id)) names.set(id, [...(names.get(id) ?? []), name]);
  }
  const others = [...names.keys()].filter((id) => id !== current.release).sort();
  const pruned = others.slice(0, Math.max(0, others.length - (keep - 1)));
  const kept = others.slice(pruned.length);
  const used = new Set(listAssets(current));
  if (pruned.length > 0)
    for (const id of kept) for (const path of await fetchAssets(bucket, id)) used.add(path);
  for (const id of pruned) {
    for (const path of await fetchAssets(bucket, id))
      if (!used.has(path)) await bucket.delete(publicStart + path);
    const last = partName(id, parts.manifest);
    for (const name of names.get(id) ?? []) if (name !== last) await bucket.delete(name);
    await bucket.delete(last);
  }
}

/** The site's assets of a release in the bucket; none if its manifest is not there. */
async function fetchAssets(bucket: Bucket, release: string): Promise<string[]> {
  const stored = await bucket.get(partName(release, parts.manifest));
  return stored === undefined ? [] : listAssets(JSON.parse(stored.body.toString()) as Manifest);
}

function listAssets({ parts: all }: Manifest): string[] {
  const paths = listSiteRows(all).map(([path]) => path);
  return paths.filter((path) => isHashedPath(`/${path}`));
}
