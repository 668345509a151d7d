// Reads and writes the manifest, which seals a release: its inputs, what it holds, and the digest of every part.
import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { downloadsFolder } from "../../api-static/contract/answers/downloads.ts";
import { pagesFolder, parts, schemaVersion } from "../../api-static/release/layout.ts";
import type { ReleaseFacts } from "../../api-static/release/status.ts";
import { digestFile, type FileDigest } from "../base/digests.ts";
import { InputError } from "../base/failure.ts";
import { ifPresent, listIfPresent, listTree } from "../base/files.ts";
import type { WarehouseFile } from "../warehouse/warehouse.ts";
import type { Totals } from "./totals.ts";

export { schemaVersion };

/** The number of page files, and their size as stored. */
export type PageCounts = { readonly files: number; readonly storedBytes: number };

/** How many searches of each kind get page files, and how many files each gets. */
export type SearchSettings = {
  /** Recipients with the most grants. */
  readonly recipients: number;
  /** Most frequent purposes. */
  readonly purposes: number;
  /** Most frequent searches of recent days. */
  readonly learned: number;
  /** First pages of the smallest page size. */
  readonly smallPages: number;
  /** First pages of the largest page size. */
  readonly largePages: number;
};

export type Manifest = Omit<ReleaseFacts, "totals"> & {
  readonly schema_version: number;
  /** The digest of the inputs. */
  readonly made_from: string;
  readonly sources: readonly WarehouseFile[];
  /** The file of organizations; null if there was none. */
  readonly organizations: WarehouseFile | null;
  /** The file of finances; null if there was none. */
  readonly finances: WarehouseFile | null;
  /** SHA-256 of the file of objections to matches; null if there was none. */
  readonly objections: string | null;
  /** The settings that shape a release. */
  readonly searches: SearchSettings;
  /** True if the release has files with all grants. */
  readonly downloads: boolean;
  readonly totals: Totals;
  readonly pages: PageCounts;
};

/**
 * Size and SHA-256 of every file of a release except the manifest and the page files, by its path in the release.
 * @param known digests that need not be computed again
 */
export async function digestParts(
  folder: string,
  known: Readonly<Record<string, FileDigest>> = {},
): Promise<Record<string, FileDigest>> {
  const digests: Record<string, FileDigest> = {};
  for (const path of await listParts(folder))
    digests[path] = known[path] ?? (await digestFile(join(folder, path)));
  return digests;
}

/** Paths of the files of a release except the manifest and the page files, sorted. */
export async function listParts(folder: string): Promise<string[]> {
  const own = (await listIfPresent(folder)).filter(
    (name) => name !== parts.manifest && name !== parts.public,
  );
  const site = await listTree(join(folder, parts.public), [pagesFolder]);
  const downloads = await listTree(join(folder, parts.public, downloadsFolder));
  const shown = [...site, ...downloads.map((path) => join(downloadsFolder, path))];
  return [...own, ...shown.map((path) => join(parts.public, path))].sort();
}

/** Bytes of a release by part, without the manifest. The files in `public/`, pages included, count as one part. */
export function sizesOf({ pages, parts: all }: Manifest): Record<string, number> {
  const sizes: Record<string, number> = { [parts.public]: pages.storedBytes };
  for (const [path, { bytes }] of Object.entries(all)) {
    const part = path.split(sep)[0] ?? "";
    sizes[part] = (sizes[part] ?? 0) + bytes;
  }
  return sizes;
}

/** Writes the manifest into a release's folder, as the last file of the release. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, parts.manifest), formatManifest(manifest));
}

/** The manifest's text, with the manifest's own digest as the last field. */
function formatManifest(manifest: Manifest): string {
  const seal = hash("sha256", JSON.stringify(manifest));
  return `${JSON.stringify({ ...manifest, seal }, null, 2)}\n`;
}

/**
 * Reads the manifest of a release's folder.
 * @throws InputError if there is none or its text differs from what was sealed; a system error if it cannot be read
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, parts.manifest);
  const text = (await ifPresent(readFile(path, "utf8"))) ?? "";
  try {
    const { seal: _, ...manifest } = (JSON.parse(text) ?? {}) as Manifest & { seal: string };
    if (text === formatManifest(manifest)) return manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const found = text === "" ? "there is none" : "its content differs from what was sealed";
  throw new InputError(`"${path}": expected the manifest of a release, but ${found}`);
}

/** The result of reading a release; undefined if the release is missing or damaged. */
export function ifIntact<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown): undefined => {
    if (!(error instanceof InputError)) throw error;
  });
}

/**
 * The digest of what decides whether a sync has anything to do. Learned searches and the current year also shape a release, but they
 * wait for the next change of these.
 * @param site digests of the site's files
 */
export function digestInputs(
  inputs: Pick<Manifest, "sources" | "organizations" | "finances" | "objections" | "searches" | "downloads">,
  site: Manifest["parts"],
): string {
  const { sources, organizations, finances, objections, searches, downloads } = inputs;
  const own = [schemaVersion, sources, organizations, finances, objections, searches, downloads, site];
  return hash("sha256", JSON.stringify(own));
}
