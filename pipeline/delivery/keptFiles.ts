// Compares the files of a release that a data folder keeps with what was sealed: a share of them by digest, in turn.
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pageRowBytes } from "../../api-static/release/layout.ts";
import { digestFile } from "../base/digests.ts";
import { ifPresent, replaceFile } from "../base/files.ts";
import { releaseFolder } from "../releases/folders.ts";
import { readManifest, schemaVersion } from "../releases/manifest.ts";
import { publicFilePath } from "../releases/pageFile.ts";
import { readTables } from "../releases/tables.ts";
import { findUploads, isRight } from "./changes.ts";

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
 * Returns their numbers; undefined if one differs.
 * @throws InputError if the release is not there, or its manifest or its tables are damaged
 */
export async function compareKept(data: string, id: string): Promise<Compared | undefined> {
  const folder = releaseFolder(data, id);
  const share = await nextShare(data);
  let files = 0;
  let digests = 0;
  const compare = async (name: string, bytes: number, isSame: (path: string) => Promise<boolean>) => {
    const path = join(folder, name);
    if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
    if (files++ % shares !== share) return true;
    digests += 1;
    return isSame(path);
  };
  const manifest = await readManifest(folder);
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.parts)) {
    const isSame = async (path: string) => (await digestFile(path)).sha256 === sha256;
    if (!(await compare(name, bytes, isSame))) return undefined;
  }
  if (manifest.schema_version !== schemaVersion) return { files, digests }; // its tables have another layout
  for (const file of findUploads(await readTables(folder))) {
    if (file.row.length !== pageRowBytes) continue; // a part of the manifest
    const bytes = Buffer.from(file.row).readUInt32LE(); // a page's row starts with its size
    const isSame = (path: string) => isRight(path, file);
    if (!(await compare(publicFilePath(file.key), bytes, isSame))) return undefined;
  }
  return { files, digests };
}
