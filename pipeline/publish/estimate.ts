// Estimates what a publish would do, and what its requests cost.

import { formatCount } from "../base/progress.ts";
import { sizeOfParts } from "../bucket/bucket.ts";
import type { Manifest } from "../releases/manifest.ts";
import prices from "./prices.json" with { type: "json" };
import { listServerParts } from "./releaseParts.ts";

/** What a publish would do. */
export type Estimate = {
  readonly release: string;
  readonly uploads: number;
  readonly uploadBytes: number;
  readonly deletions: number;
  /** Parts for servers that the bucket does not have. */
  readonly parts: number;
  readonly partBytes: number;
  readonly purges: number;
  readonly requests: Requests;
};

/** Requests by what they cost: PUT, POST and LIST are writes; GET and HEAD are reads. */
export type Requests = { readonly write: number; readonly read: number; readonly delete: number };

/** Files up to this size are sent by one request. */
const onePartBytes = sizeOfParts(0);

/** The writes that upload a file: one, or one for each part, and two to start and end. */
function countWrites(bytes: number): number {
  return bytes <= onePartBytes ? 1 : Math.ceil(bytes / sizeOfParts(bytes)) + 2;
}

/** The requests that upload the missing parts of a release: with the list of unfinished uploads, and a look at each part. */
export function countPartRequests(manifest: Manifest, missing: readonly string[]): Requests {
  const writes = missing.reduce((sum, path) => sum + countWrites(manifest.parts[path]?.bytes ?? 0), 0);
  return { write: writes + 1, read: listServerParts(manifest).length + 1, delete: 0 };
}

/** The text of a dry run. */
export function formatEstimate(estimate: Estimate): string {
  const { release, uploads, uploadBytes, deletions, partBytes, purges, requests } = estimate;
  const megabytes = (bytes: number) =>
    `${(bytes / 1e6).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
  const kinds = ["write", "read", "delete"] as const;
  const dollars = Object.entries(prices).map(([store, price]) => {
    const sum = kinds.reduce((sum, kind) => sum + (requests[kind] * price[kind]) / 1e6, 0); // prices are per million
    return `$${sum.toFixed(4)} at ${store}`;
  });
  return [
    `publish: a dry run of release ${release}; nothing was changed`,
    `  upload ${formatCount(uploads)} public files, ${megabytes(uploadBytes)}`,
    `  upload ${formatCount(estimate.parts)} parts for servers, ${megabytes(partBytes)}`,
    `  delete ${formatCount(deletions)} objects`,
    `  purge ${formatCount(purges)} paths`,
    `  requests: ${formatCount(requests.write)} writes, ${formatCount(requests.read)} reads, ${formatCount(requests.delete)} deletions: ${dollars.join(", ")}`,
  ].join("\n");
}
