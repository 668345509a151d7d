// Names the files with all grants and matches of a release, which every host serves below one path.

/** The folder of the files in the public part, and their path below the host. */
export const downloadsFolder = "v1/downloads";

/** The files of the folder and their types. No host may compress them: two are compressed, and all are read in ranges. */
export const downloadTypes = {
  "grants.parquet": "application/vnd.apache.parquet",
  "grants.csv.gz": "application/gzip",
  "matches.parquet": "application/vnd.apache.parquet",
  SHA256SUMS: "text/plain; charset=utf-8",
  "datapackage.json": "application/json; charset=utf-8",
  "croissant.json": "application/ld+json; charset=utf-8",
} as const;

/** The most grants that a release has as CSV: a spreadsheet opens 1,048,576 rows, the header included. */
export const csvRecordsMax = 2 ** 20 - 1;

export type DownloadName = keyof typeof downloadTypes;

/** The site's page with their description for search engines, which a sync puts into it. */
export const downloadsPage = "downloads.html";

/** One of the files, whole or in part. */
export type DownloadRequest = { readonly kind: "download"; readonly name: DownloadName };

/** The key of a file, e.g., "v1/downloads/grants.parquet". */
export function downloadKey(name: DownloadName): string {
  return `${downloadsFolder}/${name}`;
}

/** The request of a key; undefined if it is not the key of a file. */
export function parseDownloadKey(key: string): DownloadRequest | undefined {
  const name = downloadNames.find((name) => key === downloadKey(name));
  return name && { kind: "download", name };
}

export const downloadNames = Object.keys(downloadTypes) as DownloadName[];
