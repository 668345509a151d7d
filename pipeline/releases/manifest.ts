// Owns the manifest, which seals a release: what it was made from, what it holds, and the digest of every part.
import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isDeepStrictEqual } from "node:util";
import { pagesFolder, parts } from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { InputError } from "../failure.ts";
import { listIfPresent } from "../files.ts";
import type { WarehouseFile } from "../warehouse/warehouse.ts";
import type { Totals } from "./totals.ts";

/** Raised with every change of what a release holds or how it is laid out, so that old releases are built anew. */
export const schemaVersion = 12;

/** Page files: how many, and their size as stored. */
export type PageCounts = { readonly files: number; readonly storedBytes: number };

/** How many searches of each kind get page files, and how many files each. */
export type SearchSettings = {
  /** Recipients with the most grants. */
  readonly recipients: number;
  /** Most frequent purposes. */
  readonly purposes: number;
  /** Searches asked most in the last days. */
  readonly learned: number;
  /** First pages of the smallest page size. */
  readonly smallPages: number;
  /** First pages of the largest page size. */
  readonly largePages: number;
};

export type PartDigest = { readonly bytes: number; readonly sha256: string };

export type Manifest = {
  readonly schema_version: number;
  readonly release: string;
  readonly synced_at: string;
  readonly sources: readonly WarehouseFile[];
  /** The settings that shape a release. */
  readonly searches: SearchSettings;
  readonly totals: Totals;
  readonly pages: PageCounts;
  /** Every file of the release but the manifest and the page files, which `pages` holds the digests of. */
  readonly parts: Readonly<Record<string, PartDigest>>;
};

/** Size and SHA-256 of a file. */
export async function digestFile(path: string): Promise<PartDigest> {
  const { size } = await stat(path);
  const digest = createHash("sha256");
  // As much is allocated for each read: a release has many small parts.
  const highWaterMark = Math.min(size + 1, 2 ** 20);
  await pipeline(createReadStream(path, { highWaterMark }), digest);
  return { bytes: size, sha256: digest.digest("hex") };
}

/**
 * Size and SHA-256 of every file of a release but the manifest and the page files, by its path in the release.
 * @param known those that are known already
 */
export async function digestParts(
  folder: string,
  known: Readonly<Record<string, PartDigest>> = {},
): Promise<Record<string, PartDigest>> {
  const digests: Record<string, PartDigest> = {};
  for (const path of await listParts(folder))
    digests[path] = known[path] ?? (await digestFile(join(folder, path)));
  return digests;
}

/** Paths of the files of a release but the manifest and the page files, sorted. */
export async function listParts(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const [below, passed] of [
    ["", parts.public],
    [parts.public, pagesFolder],
  ] as const) {
    for (const name of await listIfPresent(join(folder, below))) {
      const path = join(below, name);
      if (name !== passed && path !== parts.manifest) paths.push(path);
    }
  }
  return paths.sort();
}

/** Writes the manifest into a release's folder; the last file of a release to be written. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, parts.manifest), formatManifest(manifest));
}

/** The manifest's text, with a digest of its own as the last field. */
function formatManifest(manifest: Manifest): string {
  const seal = hash("sha256", JSON.stringify(manifest));
  return `${JSON.stringify({ ...manifest, seal }, null, 2)}\n`;
}

/**
 * Reads the manifest of a release's folder.
 * @throws InputError when there is none, or a character of it is other than it was written
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, parts.manifest);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isAbsence(error)) return "";
    throw error;
  });
  try {
    const { seal: _, ...manifest } = JSON.parse(text) as Manifest & { seal: string };
    if (text === formatManifest(manifest)) return manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const found = text === "" ? "there is none" : "it has other content than was sealed";
  throw new InputError(`"${path}": the manifest of a release was expected, ${found}`);
}

/** What a release is made from besides the code, but what was asked of servers and the year it is: those wait for something new. */
export type Origins = Pick<Manifest, "sources" | "searches"> & {
  /** The files beside the pages, as a manifest tells of them. */
  readonly site: Manifest["parts"];
};

/** True when a release with this manifest was made from these, by code of this version. */
export function isMadeFrom(manifest: Manifest, { sources, searches, site }: Origins): boolean {
  const beside = Object.entries(manifest.parts).filter(([path]) => dirname(path) === parts.public);
  return (
    manifest.schema_version === schemaVersion &&
    isDeepStrictEqual(manifest.sources, sources) &&
    isDeepStrictEqual(manifest.searches, searches) &&
    isDeepStrictEqual(Object.fromEntries(beside), site)
  );
}
