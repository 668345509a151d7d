// Writes the files with all grants and matches of a release, their checksums, and descriptions of them.
import { hash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBInstance } from "@duckdb/node-api";
import {
  csvRecordsMax,
  type DownloadName,
  downloadKey,
  downloadsFolder,
} from "../../../api-static/contract/answers/downloads.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { followRows, withConnection } from "../../base/database.ts";
import { digestFile, type FileDigest } from "../../base/digests.ts";
import { linkOrCopy } from "../../base/files.ts";
import type { OnProgress } from "../../base/progress.ts";
import { type DataFiles, type Dataset, formatCroissant, formatDataPackage } from "./dataset.ts";
import { writeGrants } from "./grants.ts";

/**
 * Writes the downloads, with a CSV of the grants only if a spreadsheet can open it, into a release's folder from the tables
 * `grants` and `listed`, and links its file of matches among them. Returns the digests of all of them, by path in the release.
 * @param matchesFile the digest of that file, once it is written
 */
export async function writeDownloads(
  instance: DuckDBInstance,
  folder: string,
  dataset: Dataset,
  matchesFile: Promise<FileDigest>,
  onProgress: OnProgress,
): Promise<Record<string, FileDigest>> {
  await mkdir(join(folder, parts.public, downloadsFolder), { recursive: true });
  const pathOf = (name: DownloadName) => join(folder, parts.public, downloadKey(name));
  const writeText = async (name: DownloadName, text: string): Promise<FileDigest> => {
    await writeFile(pathOf(name), text);
    return { bytes: Buffer.byteLength(text), sha256: hash("sha256", text) };
  };
  const hasCsv = dataset.records <= csvRecordsMax;
  await withConnection(instance, (connection) =>
    followRows(connection, dataset.records, onProgress, () =>
      writeGrants(connection, folder, { ...dataset, hasCsv }),
    ),
  );
  const data: DataFiles = new Map([
    ["grants.parquet", await digestFile(pathOf("grants.parquet"))],
    ...(hasCsv ? [["grants.csv.gz", await digestFile(pathOf("grants.csv.gz"))] as const] : []),
    ["matches.parquet", await matchesFile],
  ]);
  linkOrCopy(join(folder, parts.matchesFile), pathOf("matches.parquet"));
  const digests = new Map<DownloadName, FileDigest>(data);
  digests.set("datapackage.json", await writeText("datapackage.json", formatDataPackage(dataset, data)));
  digests.set("croissant.json", await writeText("croissant.json", formatCroissant(dataset, data)));
  const sums = [...digests].map(([name, { sha256 }]) => `${sha256}  ${name}\n`);
  digests.set("SHA256SUMS", await writeText("SHA256SUMS", sums.join("")));
  return Object.fromEntries(
    [...digests].map(([name, digest]) => [join(parts.public, downloadKey(name)), digest]),
  );
}
