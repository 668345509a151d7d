// Names the tags by which a CDN purges responses.
import { isHashedPath } from "./sitePaths.ts";

/**
 * The tag of the responses to a URL path, or to a pattern of a purge list. Undefined for responses that no release changes, and
 * for those that caches keep only for seconds. Summaries and peers depend on all grants, so one tag purges those of all EINs,
 * and single grants too.
 * @param path e.g., "/v1/funders/131635294/history" or "/v1/names*"
 */
export function cacheTag(path: string): string | undefined {
  if (path.startsWith("/r/") || isHashedPath(path)) return undefined;
  const [, folder, name = "", topic = ""] = /^\/v1\/(\w+)[^/]*(?:\/([^/]+))?(?:\/([^/]+))?/.exec(path) ?? [];
  switch (folder) {
    case undefined:
      return "site";
    case "history":
      return "searches";
    case "grants":
    case "recipients":
      return "summaries";
    case "funders":
      return /^(?:summary|peers)$/.test(topic) ? "summaries" : `funder-${name}`;
    case "downloads":
    case "names":
    case "organizations":
      return folder;
    default:
      return undefined;
  }
}
