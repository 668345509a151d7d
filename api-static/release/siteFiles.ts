// Reads the site's files when a release opens, so that no path is built from the text of a request.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { digestBody } from "./pageFileFormat.ts";

export type SiteFile = { readonly type: string; readonly body: Buffer; readonly digest: string };

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** The site's files by URL path, e.g., "/" and "/site.css", without the API's page files under v1. */
export function readSite(folder: string): Map<string, SiteFile> {
  const files = new Map<string, SiteFile>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const body = readFileSync(join(folder, entry.name));
    const path = entry.name === "index.html" ? "/" : `/${entry.name}`;
    files.set(path, { type, body, digest: digestBody(body) });
  }
  return files;
}
