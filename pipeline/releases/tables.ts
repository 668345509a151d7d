// Reads the tables by which a release is compared with others: those of its funders and of its public files.
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Places } from "../../api-static/contract/answers/report.ts";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { pageRowBytes, parts, readListedKeys } from "../../api-static/release/layout.ts";
import { shareBytes } from "../../api-static/release/records.ts";
import type { FileDigest } from "../base/digests.ts";
import { DamagedError } from "../base/failure.ts";
import { ifPresent } from "../base/files.ts";
import { ifIntact, readManifest, schemaVersion } from "./manifest.ts";

/** The tables of a release's funders: about 30 bytes per funder. A release that is built shares `funders` with threads. */
export type FunderTables = { readonly funders: Buffer; readonly funderDigests: Buffer };

/** Rows of public files by key. The row of a page file is as in `pages`, that of another file is its SHA-256. */
export type FileRows = ReadonlyMap<string, Uint8Array>;

/** The tables of a release that it is compared by. */
export type ReleaseTables = FunderTables &
  ReturnType<typeof identifyParts> & {
    /** The release's folder. */
    readonly folder: string;
    /** The table `pages`, in memory that threads share. It starts with the rows of funders' pages. */
    readonly pages: Buffer;
    /** All public files except funders' pages. The site's pages are the last ones, because they load others. */
    readonly files: FileRows;
  };

/** The parts that are read. */
export const tableParts = [parts.funders, parts.pages, parts.searches, parts.names, parts.funderDigests];

/**
 * Reads the tables of a release.
 * @throws DamagedError if one is missing or differs from what was sealed; InputError if there is no intact manifest
 */
export async function readTables(folder: string): Promise<ReleaseTables> {
  const { parts: sealed, places } = await readManifest(folder);
  const read = async (part: string) => {
    const bytes = await ifPresent(readFile(join(folder, part)));
    if (bytes !== undefined && hash("sha256", bytes) === sealed[part]?.sha256) return bytes;
    throw new DamagedError(`"${join(folder, part)}" is missing or damaged; run \`make verify\``);
  };
  const funders = await read(parts.funders);
  const funderDigests = await read(parts.funderDigests);
  const pages = shareBytes(await read(parts.pages));
  const keys = readListedKeys(await read(parts.searches), await read(parts.names));
  const first = pages.length - keys.length * pageRowBytes;
  const rows = keys.map((key, index): [string, Uint8Array] => {
    const at = first + index * pageRowBytes;
    return [key, pages.subarray(at, at + pageRowBytes)];
  });
  const files = new Map([...rows, ...listSiteRows(sealed)]);
  return { folder, funders, funderDigests, pages, files, ...identifyParts(sealed, places) };
}

/** Identifies the parts that answer some responses: each text differs if one of its parts does. */
export function identifyParts(
  sealed: Readonly<Record<string, FileDigest>>,
  { funder_state, recipient_state }: Places,
) {
  const digestsOf = (...names: string[]) => names.map((name) => sealed[name]?.sha256).join(" ");
  return {
    /** Where states come from, and the list that has them. */
    places: `${funder_state.source} ${recipient_state.source} ${digestsOf(parts.organizations)}`,
    /** The grants of each likely recipient, and what is said of them. */
    matches: digestsOf(parts.columns, parts.matches),
    organizations: digestsOf(parts.organizations, parts.profiles, parts.organizationColumns),
  };
}

/** The tables of a release; undefined if they cannot be compared, because they are damaged or another version made them. */
export async function findTables(folder: string): Promise<ReleaseTables | undefined> {
  const manifest = await ifIntact(readManifest(folder));
  return manifest?.schema_version === schemaVersion ? ifIntact(readTables(folder)) : undefined;
}

/** The rows of the site's files among the sealed digests of a release: assets, then pages. */
export function listSiteRows(sealed: Readonly<Record<string, FileDigest>>): [string, Uint8Array][] {
  const start = `${parts.public}/`;
  const rows = Object.entries(sealed).flatMap(([path, { sha256 }]): [string, Uint8Array][] =>
    path.startsWith(start) ? [[path.slice(start.length), Buffer.from(sha256, "hex")]] : [],
  );
  const isPage = ([key]: [string, unknown]) => key.endsWith(".html") && !isHashedPath(`/${key}`);
  return [...rows.filter((row) => !isPage(row)), ...rows.filter(isPage)];
}
