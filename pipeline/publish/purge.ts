// Lists the URLs whose content a publish changes, for CDNs that should forget them.
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { formatEin } from "../../api-static/contract/ein.ts";
import { keyPath } from "../../api-static/contract/pageKeys.ts";
import { cleanPath } from "../../api-static/contract/sitePaths.ts";
import { funderRowBytes, readFunderRow } from "../../api-static/release/layout.ts";
import { compareFunders, type PageRows } from "../parts/changes.ts";
import type { PublishedFiles } from "./publicFiles.ts";

/** Tells a CDN what to forget. */
export type Purger = {
  /**
   * @param paths of URLs; a path that ends with "*" stands for all that start so
   * @param reference a random text that names the purge
   */
  purge(paths: readonly string[], reference: string): Promise<void>;
};

/** Where a publish lists what to purge. */
function purgesPath(data: string): string {
  return join(data, "purge.txt");
}

/**
 * Writes the list of URLs to purge, one per line, and returns the paths.
 * @param origin that each path follows, e.g., "https://grants.example.org"; may be empty
 * @param releases that caches may have content of; everything is purged if there are none
 */
export async function writePurges(
  data: string,
  origin: string,
  target: PublishedFiles,
  releases: readonly PublishedFiles[],
): Promise<readonly string[]> {
  const paths = findPurges(target, releases);
  await pipeline(
    Readable.from(paths).map((path: string) => `${origin}${path}\n`),
    createWriteStream(purgesPath(data)),
  );
  return paths;
}

/** The paths of the URLs whose content differs between a release and earlier ones; all if there are none. */
export function findPurges(target: PublishedFiles, releases: readonly PublishedFiles[]): string[] {
  if (releases.length === 0) return ["/*"];
  const changed = new Set<number>();
  for (const release of releases) {
    for (const { change, before, after } of compareFunders(release, target))
      if (change !== "same") changed.add(after?.ein ?? before?.ein ?? 0);
  }
  const paths: string[] = [];
  if (changed.size > 0) paths.push("/v1/history*", "/v1/recipients/*");
  // The report and the status name the release.
  paths.push("/v1/report", "/v1/status");
  for (const ein of [...changed].sort((a, b) => a - b)) paths.push(`/v1/funders/${formatEin(ein)}/*`);
  // Not by spreading: there may be more paths than a call takes arguments.
  if (changed.size > 0) for (const path of listSummaries(target, changed)) paths.push(path);
  if (releases.some(({ organizations }) => organizations !== target.organizations))
    paths.push("/v1/organizations/*");
  for (const key of findDifferent(
    target.names,
    releases.map(({ names }) => names),
  ))
    paths.push(keyPath(key));
  for (const path of findDifferent(
    target.site,
    releases.map(({ site }) => site),
  )) {
    const page = cleanPath(`/${path}`);
    paths.push(`/${path}`, ...(page === undefined ? [] : [page]));
  }
  return paths;
}

/**
 * The summaries and peers of the funders that did not change. A summary counts what the funder received from others, and peers
 * depend on the recipients of others.
 */
function* listSummaries({ funders }: PublishedFiles, changed: ReadonlySet<number>): Generator<string> {
  for (let index = 0; index < funders.length / funderRowBytes; index++) {
    const { ein } = readFunderRow(funders, index);
    if (changed.has(ein)) continue;
    yield `/v1/funders/${formatEin(ein)}/summary`;
    yield `/v1/funders/${formatEin(ein)}/peers`;
  }
}

/** The keys whose rows differ between a release and earlier ones, sorted. */
function findDifferent(target: PageRows, releases: readonly PageRows[]): string[] {
  const keys = new Set([target, ...releases].flatMap((rows) => [...rows.keys()]));
  const isSame = (key: string) => {
    const row = target.get(key);
    return releases.every((rows) => {
      const other = rows.get(key);
      return row !== undefined && other !== undefined && Buffer.compare(row, other) === 0;
    });
  };
  return [...keys].filter((key) => !isSame(key)).sort();
}
