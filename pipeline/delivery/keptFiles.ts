// Compares the files of a release that a data folder keeps with what was sealed: a share of them by digest, in turn.
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDownloadKey } from "../../api-static/contract/downloads.ts";
import { digestFile } from "../base/digests.ts";
import { InputError } from "../base/failure.ts";
import { ifPresent, replaceFile } from "../base/files.ts";
import { releaseFolder } from "../releases/folders.ts";
import { readManifest, schemaVersion } from "../releases/manifest.ts";
import { isContent, publicFilePath } from "../releases/pageFile.ts";
import { readTables } from "../releases/tables.ts";
import { findUploads } from "./changes.ts";
import { countBytes } from "./releaseParts.ts";

/** The files of a release that a pull compared by size, and how many of them also by digest. */
export type Compared = { readonly files: number; readonly digests: number };

/** A pull of a current release compares one of this many shares of its files by digest, the next pull the next one. */
const shares = 16;

/** The share that this pull compares by digest. */
async function nextShare(data: string): Promise<number> {
  const path = join(data, "pull-share.txt");
  const share = (Number(await ifPresent(readFile(path, "utf8"))) || 0) % shares;
  await replaceFile(path, `${(share + 1) % shares}\n`);
  return share;
}

/**
 * Compares the files of a kept release with its sealed manifest: each by its size, and those of the next share by their digests.
 * Returns their numbers; undefined if one differs, or the release is not there.
 */
export async function compareKept(data: string, id: string): Promise<Compared | undefined> {
  const [folder, share] = [releaseFolder(data, id), await nextShare(data)];
  let [files, digests] = [0, 0];
  const isRight = async (name: string, bytes: number, isSame: (path: string) => Promise<boolean>) => {
    const path = join(folder, name);
    if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
    if (files++ % shares !== share) return true;
    digests += 1;
    return isSame(path);
  };
  const hasDigest = (sha256: string) => async (path: string) => (await digestFile(path)).sha256 === sha256;
  try {
    const manifest = await readManifest(folder);
    for (const [path, { bytes, sha256 }] of Object.entries(manifest.parts))
      if (!(await isRight(path, bytes, hasDigest(sha256)))) return undefined;
    if (manifest.schema_version !== schemaVersion) return { files, digests }; // its tables have another layout
    for (const { key, row } of findUploads(await readTables(folder))) {
      const isSame =
        parseDownloadKey(key) === undefined
          ? async (path: string) => isContent(row, await readFile(path))
          : hasDigest(Buffer.from(row).toString("hex"));
      if (!(await isRight(publicFilePath(key), countBytes(manifest, key, row), isSame))) return undefined;
    }
    return { files, digests };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
