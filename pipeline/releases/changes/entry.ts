// Writes the changes from the current release to the one that is about to become current.
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import {
  type ChangesEntry,
  type ChangesFile,
  type ChangesFormat,
  changesName,
  changesUrl,
} from "../../../api-static/contract/answers/changes.ts";
import { downloadKey } from "../../../api-static/contract/answers/downloads.ts";
import { chainPath, readChain } from "../../../api-static/release/chain.ts";
import { chainFolder, parts } from "../../../api-static/release/layout.ts";
import type { DatabaseSettings } from "../../base/database.ts";
import { digestFile, digestIfPresent } from "../../base/digests.ts";
import { flushPath, ifPresent, makeFolder } from "../../base/files.ts";
import type { Progress } from "../../base/progress.ts";
import { inspectManifest } from "../current.ts";
import { buildFolder, releaseFolder } from "../folders.ts";
import type { Manifest } from "../manifest.ts";
import { readTables } from "../tables.ts";
import { nameOf, writePending } from "./chain.ts";
import { type ComparedFiles, compareRecords, type RecordChanges } from "./compare.ts";

/** The release that is about to become current. */
export type NextRelease = {
  readonly data: string;
  /** The id of the current release; undefined if there is none. */
  readonly from: string | undefined;
  /** The folder of the next release: it may not be in its place yet. */
  readonly folder: string;
  readonly manifest: Manifest;
};

/** What the comparison needs from outside. */
export type EntryContext = {
  readonly bounds: Omit<DatabaseSettings, "spillFolder">;
  readonly progress: Progress;
  readonly clock: () => Date;
};

/** What an entry says of the changes. */
type Found = Pick<ChangesEntry, keyof RecordChanges | "files"> & Partial<Pick<ChangesEntry, "reason">>;

/** Share of the records beyond which a copy is downloaded anew rather than changed. */
const changesShare = 0.5;

/**
 * Compares the current release with the next one, and records the changes as the pending entry. If they cannot be compared, the entry
 * says so: followers then download all grants again, and a damaged old release does not stop a new one.
 */
export async function writeEntry(next: NextRelease, context: EntryContext): Promise<void> {
  const { data, folder, manifest, from = null } = next;
  const { records } = manifest.totals;
  await makeFolder(chainPath(data, "")); // an older version made no such folder
  const found = await context.progress.run("write changes", records, "grants", () =>
    findChanges(next, context),
  );
  const download = downloadKey("grants.parquet");
  const hasDownload = (await ifPresent(stat(join(folder, parts.public, download)))) !== undefined;
  await writePending(data, {
    from,
    to: manifest.release,
    at: `${context.clock().toISOString().slice(0, 19)}Z`,
    ...found,
    ...(hasDownload && { download: `/${download}` }),
    records,
    digest: manifest.parts[parts.records]?.sha256 ?? "",
  });
}

/** The changes, compared or as an earlier entry has them. */
async function findChanges(next: NextRelease, context: EntryContext): Promise<Found> {
  const { data, from, manifest } = next;
  if (from === undefined) return withoutFiles("first_release");
  const known = (await readChain(data))?.entries.find(
    (entry) => entry.from === from && entry.to === manifest.release,
  );
  if (known !== undefined && known.files.length > 0 && (await hasFiles(data, known))) {
    const { added, changed, removed, files } = known;
    return { added, changed, removed, files };
  }
  const state = await inspectManifest(releaseFolder(data, from));
  if (state.name !== "sealed") return withoutFiles("not_comparable");
  if (state.manifest.schema_version !== manifest.schema_version) return withoutFiles("new_schema");
  const work = join(buildFolder(data), "changes");
  try {
    await rm(work, { recursive: true, force: true });
    await makeFolder(work);
    return await compare(next, state.manifest, context, work);
  } catch (error) {
    context.progress.note(`warning: the changes since release ${from} are not known: ${String(error)}`);
    return withoutFiles("not_comparable");
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function withoutFiles(reason: ChangesEntry["reason"] & string): Found {
  return { added: null, changed: null, removed: null, files: [], reason };
}

async function hasFiles(data: string, { files }: ChangesEntry): Promise<boolean> {
  for (const file of files)
    if ((await digestIfPresent(chainPath(data, nameOf(file))))?.sha256 !== file.sha256) return false;
  return true;
}

async function compare(
  { data, folder, manifest }: NextRelease,
  old: Manifest,
  { bounds }: EntryContext,
  work: string,
): Promise<Found> {
  const before = await readTables(releaseFolder(data, old.release));
  const sealed = old.parts[parts.records]?.sha256;
  if ((await digestFile(join(before.folder, parts.records))).sha256 !== sealed)
    throw new Error("its records are damaged");
  const { counts, files } = await compareRecords(before, await readTables(folder), {
    bounds: { ...bounds, spillFolder: join(work, "spill") },
    work,
    changesMax: manifest.totals.records * changesShare,
  });
  if (files === undefined) return withoutFiles("too_many");
  return { ...counts, files: await placeFiles(data, old.release, manifest.release, files) };
}

/** Moves the files into the folder of changes, once all of each is on the disk. */
async function placeFiles(
  data: string,
  from: string,
  to: string,
  { ndjson, parquet }: ComparedFiles,
): Promise<ChangesEntry["files"]> {
  const gzipped = `${ndjson}.gz`;
  await pipeline(createReadStream(ndjson), createGzip(), createWriteStream(gzipped)); // its header has no time
  const made: readonly [ChangesFormat, string][] = [
    ["ndjson.gz", gzipped],
    ["parquet", parquet],
  ];
  const files: ChangesFile[] = [];
  for (const [format, path] of made) {
    const name = changesName({ from, to }, format);
    const { bytes, sha256 } = await digestFile(path);
    await flushPath(path);
    await rename(path, chainPath(data, name));
    files.push({ format, url: changesUrl({ from, to }, format), bytes, sha256 });
  }
  await flushPath(join(data, chainFolder));
  return files;
}
