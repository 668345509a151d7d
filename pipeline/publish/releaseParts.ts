// Uploads a release's parts that servers need, and removes those of old releases.
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { parts, releaseIdPattern } from "../../api-static/release/layout.ts";
import { formatAddress } from "../bucket/address.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { InputError } from "../failure.ts";
import type { OnProgress } from "../progress.ts";
import type { Manifest } from "../releases/manifest.ts";
import { privateHeaders, publicStart, releasesStart } from "./objects.ts";

/** The name of a part of a release in a bucket. */
export function partName(release: string, part: string): string {
  return `${releasesStart}${release}/${part}`;
}

/** Paths of a release's files that are not public, the manifest excepted. */
export function listServerParts({ parts: all }: Manifest): string[] {
  return Object.keys(all).filter((path) => !path.startsWith(`${parts.public}/`));
}

/**
 * Uploads the parts of a release that the bucket does not have yet, the manifest last.
 * @param check throws if this process may no longer write
 * @param onProgress receives the number of bytes done
 * @throws InputError if the bucket has another release with the same id
 */
export async function uploadParts(
  bucket: Bucket,
  folder: string,
  manifest: Manifest,
  check: () => Promise<void>,
  onProgress: OnProgress,
): Promise<void> {
  const name = partName(manifest.release, parts.manifest);
  const text = await readFile(join(folder, parts.manifest));
  const stored = await bucket.get(name);
  if (stored?.body.equals(text)) return;
  if (stored !== undefined)
    throw new InputError(
      `${formatAddress(bucket.address, name)} is another release with the same id. Publish to another prefix, or build the release again`,
    );
  await bucket.abortUploads(releasesStart);
  let done = 0;
  for (const path of listServerParts(manifest)) {
    const { bytes = 0, sha256 = "" } = manifest.parts[path] ?? {};
    await check();
    if (!(await hasPart(bucket, manifest, path))) {
      const headers = { ...privateHeaders, Metadata: { sha256 } };
      await bucket.upload(partName(manifest.release, path), join(folder, path), bytes, headers);
    }
    done += bytes;
    onProgress(done);
  }
  await check();
  const sha256 = hash("sha256", text);
  await bucket.put(name, text, { ...privateHeaders, ContentType: "application/json", Metadata: { sha256 } });
}

/** Paths of the parts that an upload would send: none if the bucket has the release, otherwise those that differ. */
export async function findMissingParts(bucket: Bucket, manifest: Manifest): Promise<string[]> {
  if ((await bucket.head(partName(manifest.release, parts.manifest))) !== undefined) return [];
  const missing: string[] = [];
  for (const path of listServerParts(manifest))
    if (!(await hasPart(bucket, manifest, path))) missing.push(path);
  return missing;
}

async function hasPart(bucket: Bucket, manifest: Manifest, path: string): Promise<boolean> {
  const { bytes, sha256 } = manifest.parts[path] ?? {};
  const found = await bucket.head(partName(manifest.release, path));
  return found?.bytes === bytes && found?.metadata.sha256 === sha256;
}

/** Bytes of the parts that servers need. */
export function countPartBytes(manifest: Manifest): number {
  return listServerParts(manifest).reduce((sum, path) => sum + (manifest.parts[path]?.bytes ?? 0), 0);
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
  const start = `${parts.public}/`;
  const paths = Object.keys(all)
    .filter((path) => path.startsWith(start))
    .map((path) => path.slice(start.length));
  return paths.filter((path) => isHashedPath(`/${path}`));
}
