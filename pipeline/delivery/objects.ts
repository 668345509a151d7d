// Decides what is stored with each published object: its type, encoding, caching and links.
import { extname } from "node:path";
import {
  changesIndexName,
  changesTypes,
  parseChangesKey,
} from "../../api-static/contract/answers/changes.ts";
import { downloadTypes, parseDownloadKey } from "../../api-static/contract/answers/downloads.ts";
import { readStoredTotal } from "../../api-static/contract/answers/storedPage.ts";
import {
  cacheBriefly,
  cacheForever,
  cacheInBucket,
  formatLinks,
  jsonType,
} from "../../api-static/contract/headers.ts";
import { parsePageKey } from "../../api-static/contract/operations/searches.ts";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { siteTypes } from "../../api-static/release/siteFiles.ts";
import type { ObjectHeaders } from "../base/bucket/bucket.ts";
import { DamagedError } from "../base/failure.ts";
import { isPageKey } from "../releases/pageFile.ts";

/** The folder of the bucket that a CDN may read. */
export const publicStart = "public/";

/** The folder of the bucket with the releases that servers pull. */
export const releasesStart = "releases/";

/** The object that answers /v1/status where no server does. */
export const statusName = `${publicStart}v1/status`;

/** Headers of objects that only our commands read. */
export const privateHeaders: ObjectHeaders = {
  ContentType: "application/octet-stream",
  CacheControl: "no-store",
};

/**
 * The headers of a public file.
 * @param key e.g., "v1/funders/131635294/history-100-0.json" or "funder.html"
 * @param body of a page file
 * @throws DamagedError if a page file has no total
 */
export function headersOf(key: string, body: Buffer = Buffer.alloc(0)): ObjectHeaders {
  const changes = parseChangesKey(key);
  if (changes !== undefined) return headersOfChanges(changes.name);
  if (isPageKey(key))
    return {
      ContentType: jsonType,
      ContentEncoding: "gzip",
      CacheControl: cacheInBucket,
      Metadata: linkOf(key, body),
    };
  const download = parseDownloadKey(key);
  if (download !== undefined)
    return { ContentType: downloadTypes[download.name], CacheControl: cacheInBucket };
  return {
    ContentType: siteTypes[extname(key)] ?? "application/octet-stream",
    CacheControl: isHashedPath(`/${key}`) ? cacheForever : cacheInBucket,
  };
}

/** The index changes with every release, a file of changes never. */
function headersOfChanges(name: string): ObjectHeaders {
  if (name === changesIndexName) return { ContentType: jsonType, CacheControl: cacheBriefly };
  const format = name.endsWith(".parquet") ? "parquet" : "ndjson.gz";
  return { ContentType: changesTypes[format], CacheControl: cacheForever };
}

/** The `Link` header of a page, for hosts that cannot compute it. Files of names have none. At most about 1,200 of S3's 2,048 bytes. */
function linkOf(key: string, body: Buffer): Record<string, string> {
  const request = parsePageKey(key);
  if (request === undefined) return {};
  const total = readStoredTotal(body);
  if (total === undefined) throw new DamagedError(`${key} has no total; run \`make verify\``);
  const { Link: link } = formatLinks(request, { total, limit: request.limit, offset: request.offset });
  return link === undefined ? {} : { link };
}
