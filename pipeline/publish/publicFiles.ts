// Reads which public files a release has: from its folder, or from its parts in a bucket.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parts } from "../../api-static/release/layout.ts";
import { InputError } from "../base/failure.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { noTables, type ReleaseTables, readTables } from "../parts/changes.ts";
import { releaseFolder } from "../releases/folders.ts";
import { readManifest, schemaVersion } from "../releases/manifest.ts";
import type { PublicFiles } from "./comparison.ts";
import { partName, tableParts } from "./releaseParts.ts";

/** What a publish compares of a release. */
export type PublishedFiles = PublicFiles & ReleaseTables & { readonly release: string };

/**
 * The public files of the release in a folder.
 * @throws InputError if its tables differ from what was sealed
 */
export async function readPublicFiles(folder: string): Promise<PublishedFiles> {
  const manifest = await readManifest(folder);
  const tables = await readTables(folder);
  if (tables === noTables)
    throw new InputError(`the tables of release ${folder} are damaged; run \`make verify\``);
  const start = `${parts.public}/`;
  const site = new Map(
    Object.entries(manifest.parts).flatMap(([path, { sha256 }]) =>
      path.startsWith(start) ? [[path.slice(start.length), Buffer.from(sha256, "hex")]] : [],
    ),
  );
  return { ...tables, site, release: manifest.release };
}

/**
 * The public files of a release that was published to a bucket. Its tables are read from the data folder if it still has the
 * same release. Undefined if the bucket does not have the tables, or if they have the layout of another version.
 */
export async function fetchPublicFiles(
  bucket: Bucket,
  release: string,
  data: string,
): Promise<PublishedFiles | undefined> {
  const manifest = await bucket.get(partName(release, parts.manifest));
  if (manifest === undefined) return undefined;
  const local = releaseFolder(data, release);
  const kept = await readFile(join(local, parts.manifest)).catch(() => undefined);
  if (kept?.equals(manifest.body)) return readIfComparable(local);
  const folder = await mkdtemp(join(tmpdir(), "publish-"));
  try {
    for (const part of [parts.manifest, ...tableParts])
      if (!(await bucket.download(partName(release, part), join(folder, part)))) return undefined;
    return await readIfComparable(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readIfComparable(folder: string): Promise<PublishedFiles | undefined> {
  try {
    const { schema_version } = await readManifest(folder);
    return schema_version === schemaVersion ? await readPublicFiles(folder) : undefined;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
