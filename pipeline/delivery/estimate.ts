// Estimates what a publish would do, and what its requests cost.

import { type Bucket, countWrites } from "../base/bucket/bucket.ts";
import { formatCount } from "../base/progress.ts";
import { compareReleases } from "../releases/comparison.ts";
import { planChain } from "./chain.ts";
import { countFiles } from "./changes.ts";
import {
  countChanges,
  findUnexpected,
  isPublished,
  makePlan,
  openPublication,
  type PublishSettings,
} from "./plan.ts";
import prices from "./prices.json" with { type: "json" };
import { bytesOf, findMissingParts, listServerParts } from "./releaseParts.ts";
import { emptyState, readState } from "./state.ts";

/** What a publish would do. */
export type Estimate = {
  readonly uploads: number;
  readonly uploadBytes: number;
  readonly deletions: number;
  /** Parts for servers that the bucket does not have. */
  readonly parts: number;
  readonly partBytes: number;
  readonly purges: number;
  /** Requests by price: PUT, POST and LIST are writes; GET and HEAD are reads. */
  readonly requests: Readonly<Record<"write" | "read" | "delete", number>>;
};

/** Finds out what a publish would do, without changing anything. No estimate if the bucket already holds the release. */
export async function estimatePublish(
  bucket: Bucket,
  settings: PublishSettings,
  note: (line: string) => void,
): Promise<{ readonly release: string; readonly estimate?: Estimate }> {
  const publication = await openPublication(bucket, settings);
  const { manifest, target, isForced } = publication;
  const { release } = manifest;
  const state = isForced ? undefined : await readState(bucket);
  if (isPublished(state, release)) return { release };
  const plan = await makePlan(publication, state ?? emptyState, note);
  const changes = countChanges(publication, plan);
  let deletions = changes.delete;
  for await (const _ of findUnexpected(bucket, target, plan)) deletions += 1;
  const chain = await planChain(bucket, settings.data, isForced);
  const files = chain?.files.map(({ bytes }) => bytes) ?? [];
  if (chain !== undefined) files.push(chain.index.length);
  const missing = (await findMissingParts(bucket, manifest, isForced)).map((path) => bytesOf(manifest, path));
  const listings = plan.releases.length === 0 ? Math.ceil(countFiles(target) / 1_000) : 0;
  const requests = {
    // Four times the state, the status, unfinished uploads, the bucket's releases, and its changes.
    write:
      changes.writes +
      [...missing, ...files].reduce((sum, bytes) => sum + countWrites(bytes), 0) +
      listings +
      7 +
      (chain ? 1 : 0),
    // The state, again when the bucket is held, the index of changes, the manifests, and each part for servers.
    read: (isForced ? 1 : listServerParts(manifest).length + plan.releases.length + 3) + (chain ? 1 : 0),
    delete: deletions + (chain?.others.length ?? 0),
  };
  const estimate = {
    uploads: changes.upload + files.length,
    uploadBytes: changes.bytes + files.reduce((sum, bytes) => sum + bytes, 0),
    deletions: requests.delete,
    parts: missing.length,
    partBytes: missing.reduce((sum, bytes) => sum + bytes, 0),
    purges: compareReleases(target, plan.releases).purge.length,
    requests,
  };
  return { release, estimate };
}

/** The text of a dry run. */
export function formatEstimate(release: string, estimate: Estimate): string {
  const { requests } = estimate;
  const megabytes = (bytes: number) =>
    `${(bytes / 1e6).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
  const kinds = ["write", "read", "delete"] as const;
  const dollars = Object.entries(prices).map(([store, price]) => {
    const sum = kinds.reduce((sum, kind) => sum + (requests[kind] * price[kind]) / 1e6, 0); // prices are per million
    return `$${sum.toFixed(4)} at ${store}`;
  });
  return [
    `publish: a dry run of release ${release}; nothing was changed`,
    `  upload ${formatCount(estimate.uploads)} public files, ${megabytes(estimate.uploadBytes)}`,
    `  upload ${formatCount(estimate.parts)} parts for servers, ${megabytes(estimate.partBytes)}`,
    `  delete ${formatCount(estimate.deletions)} objects`,
    `  purge ${formatCount(estimate.purges)} paths`,
    `  requests: ${formatCount(requests.write)} writes, ${formatCount(requests.read)} reads, ${formatCount(requests.delete)} deletions: ${dollars.join(", ")}`,
  ].join("\n");
}
