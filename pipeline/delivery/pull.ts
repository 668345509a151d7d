// Brings the release that a bucket holds into a data folder, verifies it and makes it current.
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { downloadKey, parseDownloadKey } from "../../api-static/contract/answers/downloads.ts";
import { parts } from "../../api-static/release/layout.ts";
import { formatAddress } from "../base/bucket/address.ts";
import type { Bucket } from "../base/bucket/bucket.ts";
import { requestsAtOnce } from "../base/bucket/client.ts";
import { digestFile } from "../base/digests.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { ifPresent, linkOrCopy } from "../base/files.ts";
import { withLock } from "../base/lock.ts";
import { allEnded, forEachAtOnce } from "../base/parallel.ts";
import type { Progress } from "../base/progress.ts";
import { activateRelease, findCurrentId, flush, placeRelease } from "../releases/current.ts";
import { makeDataFolder, openBuild, releaseFolder, removeBuild } from "../releases/folders.ts";
import { ifIntact, type Manifest, readManifest, schemaVersion } from "../releases/manifest.ts";
import { publicFilePath } from "../releases/pageFile.ts";
import { pruneReleases, setAside } from "../releases/retention.ts";
import { readTables } from "../releases/tables.ts";
import { checkBuiltRelease, verifyKeptRelease } from "../verify/verify.ts";
import { pullChain } from "./chain.ts";
import { countFiles, findUploads, isRight, type PublicFile } from "./changes.ts";
import { type Compared, compareKept } from "./keptFiles.ts";
import { publicStart } from "./objects.ts";
import { listServerParts, partName } from "./releaseParts.ts";
import { readState } from "./state.ts";

export type PullSettings = {
  readonly data: string;
  /** Releases to keep, including the new one. */
  readonly keep: number;
  /** Downloads everything, and shares no file with a kept release. */
  readonly isForced: boolean;
  /** DuckDB's bound on its buffers during verification, e.g., "4GB". */
  readonly memory: string;
  readonly threads: number;
};

export type PullCounts = {
  /** Public files that came from the bucket; the others are shared with the previous release. */
  readonly downloaded: number;
  readonly files: number;
};

/** The release that is now current, and what was done for it; nothing if it already was. */
export type PullResult = {
  readonly release: string;
  readonly counts?: PullCounts;
  readonly compared?: Compared;
};

/** Parts downloaded at once. Each is written to the disk as it arrives. */
const partsAtOnce = 4;

/**
 * Makes the release that a bucket holds the current one of a data folder. Public files that the current release has too are
 * shared with it. If the folder has the release already but it is damaged, replaces it.
 * @throws InputError if nothing was published, a newer release is being published, or an object is not what was published;
 * LockedError if a sync, rollback or another pull is running. The current release then does not change.
 */
export async function pull(bucket: Bucket, settings: PullSettings, progress: Progress): Promise<PullResult> {
  const { data } = settings;
  const id = await findPublished(bucket);
  await makeDataFolder(data);
  return withLock(data, async () => {
    const current = await findCurrentId(data);
    const kept = settings.isForced ? undefined : await ifIntact(compareKept(data, id));
    const pullChanges = () =>
      pullChain(bucket, data).catch((error: Error) =>
        progress.note(`warning: release ${id} is current, but its changes were not pulled: ${error.message}`),
      );
    try {
      if (kept !== undefined && current === id) {
        await pullChanges();
        return { release: id, compared: kept };
      }
      const counts =
        (kept !== undefined ? await reuseKept(bucket, settings, id, progress) : undefined) ??
        (await pullNew(bucket, settings, id, current, progress));
      await activateRelease(data, id);
      await pullChanges();
      await pruneReleases(data, settings.keep, progress.note).catch((error: Error) =>
        progress.note(
          `warning: release ${id} is current, but old releases were not removed: ${error.message}`,
        ),
      );
      return { release: id, counts };
    } finally {
      await removeBuild(data);
    }
  });
}

/** The id of the release whose publish has ended. */
async function findPublished(bucket: Bucket): Promise<string> {
  const { state, etag } = await readState(bucket);
  if (state.release !== null) return state.release;
  const address = formatAddress(bucket.address);
  throw new InputError(
    etag === undefined
      ? `${address} holds no published release. Run \`make publish\` first`
      : `${address}: a release is being published for the first time, or again. Pull when that has ended`,
  );
}

/**
 * Verifies a release that the data folder has already, for example after a rollback was published. Returns undefined if it is
 * damaged.
 */
async function reuseKept(
  bucket: Bucket,
  settings: PullSettings,
  id: string,
  progress: Progress,
): Promise<PullCounts | undefined> {
  const folder = releaseFolder(settings.data, id);
  const stored = await bucket.get(partName(id, parts.manifest));
  const own = await readFile(join(folder, parts.manifest));
  if (stored !== undefined && !stored.body.equals(own))
    throw new InputError(
      `DATA "${settings.data}" has another release ${id}. FORCE=1 replaces it; or pull into another folder`,
    );
  try {
    await verifyKeptRelease({ ...settings, id }, progress);
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    progress.note(`${error.message}\nit is replaced`);
    return undefined;
  }
  return { downloaded: 0, files: countFiles(await readTables(folder)) };
}

/** Downloads a release, verifies it whole, and places it among the others, also if a damaged one has its place. */
async function pullNew(
  bucket: Bucket,
  settings: PullSettings,
  id: string,
  previous: string | undefined,
  progress: Progress,
): Promise<PullCounts> {
  const { data, memory, threads } = settings;
  const folder = await openBuild(data);
  const manifest = await pullParts(bucket, id, folder, progress);
  const isShared = previous !== undefined && !settings.isForced;
  const before = isShared ? releaseFolder(data, previous) : undefined;
  const counts = await pullPublic(bucket, folder, before, progress);
  await allEnded(
    flush(folder), // while it is verified, as in a sync
    // Every file was compared with its digest when it was downloaded or linked.
    progress.run("verify", manifest.totals.records, "grants", () =>
      checkBuiltRelease(folder, { memory, threads, spillFolder: `${folder}.spill` }),
    ),
  );
  await setAside(data, id);
  await placeRelease(data, id);
  return counts;
}

/** Downloads the parts that are not public. Returns the manifest. */
async function pullParts(bucket: Bucket, id: string, folder: string, progress: Progress): Promise<Manifest> {
  const fetch = async (part: string) => {
    const path = join(folder, part);
    if (!(await bucket.download(partName(id, part), path)))
      throw notPublished(bucket, partName(id, part), "is missing");
    return path;
  };
  await fetch(parts.manifest);
  const manifest = await readManifest(folder).catch((error: unknown) => {
    throw error instanceof InputError ? notPublished(bucket, partName(id, parts.manifest)) : error;
  });
  if (manifest.schema_version !== schemaVersion || manifest.release !== id)
    throw new InputError(
      `release ${id} in ${formatAddress(bucket.address)} was made by another version of this project. Install the same version here`,
    );
  const sealed = listServerParts(manifest);
  await progress.run("pull parts", sealed.length, "files", async (onProgress) => {
    let done = 0;
    await forEachAtOnce(sealed, partsAtOnce, async ([path, { bytes, sha256 }]) => {
      const found = await digestFile(await fetch(path));
      if (bytes !== found.bytes || sha256 !== found.sha256) throw notPublished(bucket, partName(id, path));
      onProgress(++done);
    });
  });
  return manifest;
}

/**
 * Links the public files that are the same in another release, and downloads the others.
 * @param before the folder of that release
 */
async function pullPublic(
  bucket: Bucket,
  folder: string,
  before: string | undefined,
  progress: Progress,
): Promise<PullCounts> {
  const target = await readTables(folder);
  const files = countFiles(target);
  let downloaded = 0;
  let done = 0;
  let last = { parent: "", made: Promise.resolve<unknown>(undefined) };
  await progress.run("pull files", files, "files", (onProgress) =>
    forEachAtOnce(findUploads(target), requestsAtOnce, async (file) => {
      const parent = dirname(join(folder, publicFilePath(file.key)));
      // Files that follow one another share their folder.
      if (parent !== last.parent) last = { parent, made: mkdir(parent, { recursive: true }) };
      await last.made;
      if (await pullFile(bucket, folder, before, file)) downloaded += 1;
      onProgress(++done);
    }),
  );
  return { downloaded, files };
}

/** Links or downloads a file, whose folder is there. Returns false if the file is shared with the release in `before`. */
async function pullFile(
  bucket: Bucket,
  folder: string,
  before: string | undefined,
  file: PublicFile,
): Promise<boolean> {
  const path = join(folder, publicFilePath(file.key));
  const isDownload = parseDownloadKey(file.key) !== undefined; // no two releases have the same
  const kept = before && !isDownload ? join(before, publicFilePath(file.key)) : undefined;
  if (kept !== undefined && (await ifPresent(isRight(kept, file)))) {
    linkOrCopy(kept, path);
    return false;
  }
  if (file.key === downloadKey("matches.parquet"))
    linkOrCopy(join(folder, parts.matchesFile), path); // it came as a part; verification compares the digests of both
  else {
    const isThere = await bucket.download(publicStart + file.key, path);
    if (!isThere || !(await isRight(path, file)))
      throw await explainWrong(bucket, publicStart + file.key, isThere);
  }
  return true;
}

/** Why an object is not what was published. */
async function explainWrong(bucket: Bucket, name: string, isThere: boolean): Promise<InputError> {
  const { state } = await readState(bucket);
  if (state.release === null || state.publisher !== null)
    return new InputError(
      `${formatAddress(bucket.address)}: another release is being published. Pull again when that has ended`,
    );
  return notPublished(bucket, name, isThere ? undefined : "is missing");
}

function notPublished(bucket: Bucket, name: string, problem = "is not what was published"): InputError {
  return new InputError(`${formatAddress(bucket.address, name)} ${problem}. Publish again with FORCE=1`);
}
