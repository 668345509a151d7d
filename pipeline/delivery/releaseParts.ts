// Uploads a release's parts that servers need, and removes those of old releases.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { pageRowBytes, parts, releaseIdPattern } from "../../api-static/release/layout.ts";
import { formatAddress } from "../base/bucket/address.ts";
import type { Bucket } from "../base/bucket/bucket.ts";
import { InputError } from "../base/failure.ts";
import type { OnProgress } from "../base/progress.ts";
import { releaseFolder } from "../releases/folders.ts";
import type { Manifest } from "../releases/manifest.ts";
import { publicFilePath } from "../releases/pageFile.ts";
import { findTables, listSiteRows, type ReleaseTables, tableParts } from "../releases/tables.ts";
import { privateHeaders, publicStart, releasesStart } from "./objects.ts";

/** The name of a part of a release in a bucket. */
export function partName(release: string, part: string): string {
  return `${releasesStart}${release}/${part}`;
}

/** Paths of a release's files that are not public, the manifest excepted. */
export function listServerParts({ parts: all }: Manifest): string[] {
  return Object.keys(all).filter((path) => !path.startsWith(`${parts.public}/`));
}

/** The size of a public file: a page's row starts with it, and the manifest has that of others. */
export function countBytes(manifest: Manifest, key: string, row: Uint8Array): number {
  if (row.length === pageRowBytes) return Buffer.from(row).readUInt32LE();
  return bytesOf(manifest, publicFilePath(key));
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
 * Uploads the manifest of a release and its tables. From them, a later publish finds which public files this one may have
 * uploaded.
 * @throws InputError if the bucket's manifest of this id is another one
 */
export async function uploadTables(source: PartSource): Promise<void> {
  const { bucket, folder, manifest, isForced } = source;
  const name = partName(manifest.release, parts.manifest);
  const text = await readFile(join(folder, parts.manifest));
  const stored = isForced ? undefined : await bucket.get(name);
  if (stored !== undefined && !stored.body.equals(text))
    throw new InputError(
      `${formatAddress(bucket.address, name)} is damaged, or belongs to another release with the same id. FORCE=1 replaces it`,
    );
  await bucket.abortUploads(""); // of parts and of downloads
  for (const path of tableParts) await uploadPart(source, path);
  if (stored !== undefined) return;
  await bucket.put(name, text, privateHeaders);
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
 * Uploads the other parts of a release that servers need.
 * @param onProgress receives the number of bytes done
 */
export async function uploadServerParts(source: PartSource, onProgress: OnProgress): Promise<void> {
  let done = 0;
  for (const path of listOtherParts(source.manifest)) {
    await uploadPart(source, path);
    done += bytesOf(source.manifest, path);
    onProgress(done);
  }
}

/** Bytes of the parts that `uploadServerParts` uploads. */
export function countServerBytes(manifest: Manifest): number {
  return listOtherParts(manifest).reduce((sum, path) => sum + bytesOf(manifest, path), 0);
}

function listOtherParts(manifest: Manifest): string[] {
  return listServerParts(manifest).filter((path) => !tableParts.includes(path));
}

/** The size of a part; 0 if the manifest does not list it, as it does not list itself. */
export function bytesOf(manifest: Manifest, path: string): number {
  return manifest.parts[path]?.bytes ?? 0;
}

/** Uploads a part, unless the bucket has it. */
async function uploadPart(source: PartSource, path: string): Promise<void> {
  const { bucket, folder, manifest, isForced } = source;
  if (!isForced && (await hasPart(bucket, manifest, path))) return;
  const { bytes = 0, sha256 = "" } = manifest.parts[path] ?? {};
  const headers = { ...privateHeaders, Metadata: { sha256 } };
  await bucket.upload(partName(manifest.release, path), join(folder, path), bytes, headers);
}

/** Paths of the parts that a publish uploads, the manifest among them: those that the bucket does not have, or all. */
export async function findMissingParts(
  bucket: Bucket,
  manifest: Manifest,
  isForced: boolean,
): Promise<string[]> {
  if (isForced) return [parts.manifest, ...listServerParts(manifest)];
  const hasManifest = (await bucket.head(partName(manifest.release, parts.manifest))) !== undefined;
  const missing: string[] = hasManifest ? [] : [parts.manifest];
  for (const path of listServerParts(manifest))
    if (!(await hasPart(bucket, manifest, path))) missing.push(path);
  return missing;
}

async function hasPart(bucket: Bucket, manifest: Manifest, path: string): Promise<boolean> {
  const { bytes, sha256 } = manifest.parts[path] ?? {};
  const found = await bucket.head(partName(manifest.release, path));
  return found?.bytes === bytes && found?.metadata.sha256 === sha256;
}

/**
 * Removes the parts of all releases but the newest ones, and the assets of the site that only they have. The manifest goes
 * last, so that a run that is stopped can be repeated.
 * @param keep how many releases stay, the current one included
 * @returns the ids of the removed releases
 */
export async function pruneParts(bucket: Bucket, current: string, keep: number): Promise<string[]> {
  const names = new Map<string, string[]>();
  for await (const { name } of bucket.list(releasesStart)) {
    const id = name.slice(releasesStart.length).split("/")[0] ?? "";
    if (releaseIdPattern.test(id)) names.set(id, [...(names.get(id) ?? []), name]);
  }
  const others = [...names.keys()].filter((id) => id !== current).sort();
  const pruned = others.slice(0, Math.max(0, others.length - (keep - 1)));
  if (pruned.length === 0) return [];
  const kept = [current, ...others].filter((id) => !pruned.includes(id));
  const used = new Set((await Promise.all(kept.map((id) => listAssets(bucket, id)))).flat());
  for (const id of pruned) {
    for (const path of await listAssets(bucket, id))
      if (!used.has(path)) await bucket.delete(publicStart + path);
    const last = partName(id, parts.manifest);
    for (const name of names.get(id) ?? []) if (name !== last) await bucket.delete(name);
    await bucket.delete(last);
  }
  return pruned;
}

/** The site's assets of a release in the bucket; none if its manifest is not there. */
async function listAssets(bucket: Bucket, release: string): Promise<string[]> {
  const stored = await bucket.get(partName(release, parts.manifest));
  if (stored === undefined) return [];
  const { parts: all } = JSON.parse(stored.body.toString()) as Manifest;
  return listSiteRows(all)
    .map(([path]) => path)
    .filter((path) => isHashedPath(`/${path}`));
}
