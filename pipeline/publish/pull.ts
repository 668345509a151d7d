// Brings the release that a bucket holds into a data folder, verifies it and makes it current.
import { hash } from "node:crypto";
import { link, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import { objectKey } from "../../api-static/contract/objects.ts";
import { formatPageRow, pageRowBytes, parts } from "../../api-static/release/layout.ts";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { withLock } from "../base/lock.ts";
import { allEnded } from "../base/parallel.ts";
import type { Progress } from "../base/progress.ts";
import { formatAddress } from "../bucket/address.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { requestsAtOnce } from "../bucket/client.ts";
import { activateRelease, findCurrent, flush, inspectManifest, placeRelease } from "../releases/current.ts";
import { makeDataFolder, openBuild, releaseFolder, removeBuild } from "../releases/folders.ts";
import { digestFile, type Manifest, readManifest, schemaVersion } from "../releases/manifest.ts";
import { pruneReleases } from "../releases/retention.ts";
import { verifyKeptRelease } from "../verify/keptRelease.ts";
import { checkRelease } from "../verify/verify.ts";
import { makeChanges } from "./changesDone.ts";
import { type Change, countFiles, findChanges, listFiles } from "./comparison.ts";
import { publicStart } from "./objects.ts";
import { type PublishedFiles, readPublicFiles } from "./publicFiles.ts";
import { listServerParts, partName } from "./releaseParts.ts";
import { readState } from "./state.ts";

export type PullSettings = {
  readonly data: string;
  /** Releases to keep, including the new one. */
  readonly keep: number;
  /** DuckDB's bound on its buffers during verification, e.g., "4GB". */
  readonly memory: string;
  readonly threads: number;
};

export type PullResult = {
  readonly release: string;
  /** Public files that came from the bucket; the others are shared with the previous release. */
  readonly downloaded: number;
  readonly files: number;
};

/** Parts downloaded at once. Each is written to the disk as it arrives. */
const partsAtOnce = 4;

/**
 * Makes the release that a bucket holds the current one of a data folder. Public files that the current release has too are
 * shared with it. Returns undefined if it already is current.
 * @throws InputError if nothing was published or a newer release is being published; DamagedError if an object is not what
 * was published; LockedError if a sync is running. The current release then does not change.
 */
export async function pull(
  bucket: Bucket,
  settings: PullSettings,
  progress: Progress,
): Promise<PullResult | undefined> {
  const { data } = settings;
  const id = await findPublished(bucket);
  await makeDataFolder(data);
  return withLock(data, async () => {
    const current = await findCurrent(data);
    if (current?.id === id) return undefined;
    try {
      const kept = await inspectManifest(data, id);
      const result =
        kept.name === "sealed"
          ? await reuseKept(bucket, settings, id, progress)
          : await pullNew(bucket, settings, id, current?.id, progress);
      await activateRelease(data, id);
      await pruneReleases(data, settings.keep, (line) => progress.note(line));
      return result;
    } finally {
      await removeBuild(data);
    }
  });
}

/** The id of the release whose publish has ended. */
async function findPublished(bucket: Bucket): Promise<string> {
  const state = await readState(bucket);
  if (state?.release != null) return state.release;
  const address = formatAddress(bucket.address);
  throw new InputError(
    state === undefined
      ? `${address} holds no published release. Run \`make publish\` first`
      : `${address}: a release is being published for the first time, or again. Pull when that has ended`,
  );
}

/** Verifies a release that the data folder has already, for example after a rollback was published. */
async function reuseKept(
  bucket: Bucket,
  settings: PullSettings,
  id: string,
  progress: Progress,
): Promise<PullResult> {
  const folder = releaseFolder(settings.data, id);
  const stored = await bucket.get(partName(id, parts.manifest));
  const own = await readFile(join(folder, parts.manifest));
  if (stored !== undefined && !stored.body.equals(own))
    throw new InputError(
      `DATA "${settings.data}" has another release ${id}. Remove ${folder}, or pull into another folder`,
    );
  await verifyKeptRelease({ ...settings, id }, progress);
  const files = countFiles(await readPublicFiles(folder));
  return { release: id, downloaded: 0, files };
}

/** Downloads a release, verifies it whole, and places it among the others. */
async function pullNew(
  bucket: Bucket,
  settings: PullSettings,
  id: string,
  previous: string | undefined,
  progress: Progress,
): Promise<PullResult> {
  const { data, memory, threads } = settings;
  const folder = await openBuild(data);
  const manifest = await pullParts(bucket, id, folder, progress);
  const before = previous === undefined ? undefined : await readPrevious(releaseFolder(data, previous));
  const result = await pullPublic(bucket, folder, before, progress);
  await allEnded(
    flush(folder), // while it is verified, as in a sync
    progress.run("verify", manifest.pages.files, "pages", (onProgress) =>
      checkRelease(folder, { memory, threads, spillFolder: `${folder}.spill` }, onProgress),
    ),
  );
  await placeRelease(data, id);
  return { release: id, ...result };
}

/** Downloads the parts that are not public. Returns the manifest. */
async function pullParts(bucket: Bucket, id: string, folder: string, progress: Progress): Promise<Manifest> {
  const fetch = async (part: string) => {
    const path = join(folder, part);
    if (!(await bucket.download(partName(id, part), path)))
      throw new InputError(
        `${formatAddress(bucket.address, partName(id, part))} is missing. Publish again with FORCE=1`,
      );
    return path;
  };
  await fetch(parts.manifest);
  const manifest = await readManifest(folder);
  if (manifest.schema_version !== schemaVersion || manifest.release !== id)
    throw new InputError(
      `release ${id} in ${formatAddress(bucket.address)} was made by another version of this project. Install the same version here`,
    );
  const paths = listServerParts(manifest);
  await progress.run("pull parts", paths.length, "files", async (onProgress) => {
    let done = 0;
    await pLimit(partsAtOnce).map(paths, async (path) => {
      const { bytes, sha256 } = await digestFile(await fetch(path));
      const sealed = manifest.parts[path];
      if (bytes !== sealed?.bytes || sha256 !== sealed.sha256)
        throw new DamagedError(
          `${formatAddress(bucket.address, partName(id, path))} is not what was published`,
        );
      onProgress(++done);
    });
  });
  return manifest;
}

/** The public files of the previous release; undefined if they cannot be compared. */
async function readPrevious(
  folder: string,
): Promise<(PublishedFiles & { readonly folder: string }) | undefined> {
  try {
    const { schema_version } = await readManifest(folder);
    if (schema_version !== schemaVersion) return undefined;
    return { ...(await readPublicFiles(folder)), folder };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** Links the public files that the previous release has too, and downloads the others. */
async function pullPublic(
  bucket: Bucket,
  folder: string,
  before: (PublishedFiles & { readonly folder: string }) | undefined,
  progress: Progress,
): Promise<{ readonly downloaded: number; readonly files: number }> {
  const target = await readPublicFiles(folder);
  const files = countFiles(target);
  const changed = new Set<string>();
  const changes = findChanges(target, { complete: before, started: [] });
  for (const { kind, path } of changes) if (kind === "upload") changed.add(path);
  await progress.run("pull files", files, "files", (onProgress) =>
    makeChanges(
      listFiles(target),
      requestsAtOnce,
      async (file) => {
        const path = join(folder, parts.public, file.path);
        if (before !== undefined && !changed.has(file.path))
          await makeParent(path, () => link(join(before.folder, parts.public, file.path), path));
        else {
          const body = await fetchPublic(bucket, file);
          await makeParent(path, () => writeFile(path, body));
        }
      },
      onProgress,
    ),
  );
  return { downloaded: changed.size, files };
}

/** Does work that needs the folder of a path; most files share theirs with an earlier one. */
async function makeParent(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true });
    await work();
  }
}

/** A public file from the bucket. @throws DamagedError if it is not what was published */
async function fetchPublic(bucket: Bucket, { path, row }: Change): Promise<Buffer> {
  const name = publicStart + objectKey(path);
  const body = (await bucket.get(name))?.body;
  const found =
    row.length === pageRowBytes ? body && formatPageRow(body) : body && hash("sha256", body, "buffer");
  if (body !== undefined && found?.equals(row)) return body;
  const state = await readState(bucket);
  if (state !== undefined && (state.started.length > 0 || state.publisher !== null))
    throw new InputError(
      `${formatAddress(bucket.address)}: another release is being published. Pull again when that has ended`,
    );
  const problem = body === undefined ? "is missing" : "is not what was published";
  throw new DamagedError(`${formatAddress(bucket.address, name)} ${problem}. Publish again with FORCE=1`);
}
