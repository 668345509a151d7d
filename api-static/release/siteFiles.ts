// Reads the site's files when a release opens, so that no path is built from the text of a request.
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { paths } from "../contract/request.ts";
import { cleanPath, isHashedPath } from "../contract/sitePaths.ts";
import { pagesFolder } from "./layout.ts";
import { digestBody } from "./pageFileFormat.ts";

export type SiteFile = {
  readonly type: string;
  readonly body: Buffer;
  /** Null if the format is compressed already. */
  readonly gzipped: Buffer | null;
  readonly digest: string;
  /** True if the name has a hash of the content, so that the URL never has other content. */
  readonly isImmutable: boolean;
};

/** Content types by the ending of a name. Other files are not served. */
export const siteTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

/** Maximum files of a site: all of them are held in memory. */
const maxFiles = 500;

/** Public files that are not the site's: page files, and the OpenAPI document, which the server has itself. */
const otherNames: readonly string[] = [pagesFolder, paths.readContract.slice(1)];

const compress = promisify(gzip);

/**
 * The site's files by URL path, e.g., "/", "/funder" and "/assets/start-f5vwgowI.js".
 * @param folder the public part of a release
 */
export async function readSite(folder: string): Promise<Map<string, SiteFile>> {
  const files = new Map<string, SiteFile>();
  await readFolder(folder, "/", files);
  return files;
}

async function readFolder(folder: string, prefix: string, files: Map<string, SiteFile>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (prefix === "/" && otherNames.includes(entry.name)) continue;
    const [path, name] = [join(folder, entry.name), prefix + entry.name];
    if (entry.isDirectory()) await readFolder(path, `${name}/`, files);
    const type = siteTypes[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    if (files.size === maxFiles) throw new Error(`${folder}: the site has more than ${maxFiles} files`);
    const body = await readFile(path);
    const gzipped = /^font|png$/.test(type) ? null : await compress(body, { level: 9 });
    const isImmutable = isHashedPath(name);
    files.set(cleanPath(name) ?? name, { type, body, gzipped, digest: digestBody(body), isImmutable });
  }
}
