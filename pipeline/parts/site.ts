// Writes the files that every release has in addition to its page files: the site and the OpenAPI document.
import { hash } from "node:crypto";
import { access, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copy } from "fs-extra/esm";
import { downloadKey, downloadsPage } from "../../api-static/contract/answers/downloads.ts";
import { paths } from "../../api-static/contract/request.ts";
import { openapiText } from "../../api-static/openapi/document.ts";
import { parts } from "../../api-static/release/layout.ts";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { digestFile, type FileDigest } from "../base/digests.ts";
import { InputError } from "../base/failure.ts";
import { ifPresent, listTree } from "../base/files.ts";

const openapiPath = join(parts.public, paths.readContract);

/**
 * Checks that the site is built.
 * @throws InputError that names the command to run
 */
export async function checkSite(site: string): Promise<void> {
  await access(join(site, "index.html")).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
    throw new InputError(`the site is not built: "${site}" has no index.html. Run \`make site\` first.`);
  });
}

/**
 * Copies the site into a release's folder and writes the OpenAPI document. Links are followed: the release would otherwise link to
 * files that change, and the document would be written into them.
 */
export async function writeSite(site: string, folder: string): Promise<void> {
  for (const path of await listFiles(site))
    await copy(join(site, path), join(folder, parts.public, path), { dereference: true });
  await writeFile(join(folder, openapiPath), openapiText);
}

/**
 * Puts the description of the downloads, if there is one, into their page, for search engines: a block of data, which the pages'
 * policy allows because browsers do not run it. Returns the digest of the page, by its path in the release.
 */
export async function describeDownloads(folder: string): Promise<Record<string, FileDigest>> {
  const page = join(parts.public, downloadsPage);
  const html = await ifPresent(readFile(join(folder, page), "utf8"));
  const description = await ifPresent(
    readFile(join(folder, parts.public, downloadKey("croissant.json")), "utf8"),
  );
  if (html === undefined) return {}; // another site
  if (description !== undefined) {
    const json = JSON.stringify(JSON.parse(description)).replaceAll("<", "\\u003c");
    const script = `<script type="application/ld+json">${json}</script>\n</head>`;
    await writeFile(
      join(folder, page),
      html.replace("</head>", () => script),
    );
  }
  return { [page]: await digestFile(join(folder, page)) };
}

/** The digests of these files as a manifest has them, by path in the release; without the page that differs in every release. */
export async function digestSite(site: string): Promise<Record<string, FileDigest>> {
  const digests: Record<string, FileDigest> = {
    [openapiPath]: { bytes: Buffer.byteLength(openapiText), sha256: hash("sha256", openapiText) },
  };
  for (const path of await listFiles(site))
    if (path !== downloadsPage) digests[join(parts.public, path)] = await digestFile(join(site, path));
  return digests;
}

/** The paths of the site's files: an empty folder is none. */
async function listFiles(site: string): Promise<string[]> {
  const files: string[] = [];
  for (const path of await listTree(site)) if ((await stat(join(site, path))).isFile()) files.push(path);
  return files;
}
