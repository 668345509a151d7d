// Owns the manifest, which seals a release: what it was made from, what it holds, and the digest of every part.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parts } from "../api-static/layout.ts";
import type { PageCounts } from "./pages.ts";
import type { WarehouseFile } from "./warehouse.ts";

/** Raised with every change of what a release holds or how it is laid out, so that old releases are built anew. */
export const schemaVersion = 1;

export type PartDigest = { readonly bytes: number; readonly sha256: string };

/** Facts about the accepted grants. Sums are decimal text, exact to the cent. */
export type Totals = {
  readonly records: number;
  readonly funders: number;
  readonly recipients: number;
  readonly first_year: number;
  readonly last_year: number;
  readonly amount: string;
  readonly non_cash_amount: string;
  readonly newest_created_at: string;
};

export type Manifest = {
  readonly schema_version: number;
  readonly release: string;
  readonly synced_at: string;
  readonly sources: readonly WarehouseFile[];
  readonly totals: Totals;
  readonly pages: PageCounts & { readonly sha256: string };
  readonly parts: Readonly<Record<string, PartDigest>>;
};

/** Size and SHA-256 of a file. */
export async function digestFile(path: string): Promise<PartDigest> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), digest);
  return { bytes: (await stat(path)).size, sha256: digest.digest("hex") };
}

/** Writes the manifest into a release's folder; the last file of a release to be written. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, parts.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** True when a release with this manifest, made again from these files, would be the same. */
export function isMadeFrom(manifest: Manifest, sources: readonly WarehouseFile[]): boolean {
  return (
    manifest.schema_version === schemaVersion && JSON.stringify(manifest.sources) === JSON.stringify(sources)
  );
}
