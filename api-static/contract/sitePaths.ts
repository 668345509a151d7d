// Maps the addresses of the site's pages to their files, as static hosts do.
import { decodePath } from "./query.ts";

/** The address of the page for addresses without a page. Its file is 404.html, where static hosts look for it. */
export const missingPage = "/404";

/** True if the URL path is in the site's folder of files with a hash in their names. */
export function isHashedPath(path: string): boolean {
  return path.startsWith("/assets/");
}

/**
 * True if a path without content is answered with that page: it is not below the API's paths or the assets, and no proxy refuses it
 * as malformed. All other paths get the API's error.
 */
export function isPageAddress(path: string): boolean {
  const decoded = decodePath(path);
  const isMalformed = (decoded === path && path.includes("%")) || /\.\.|\p{Cc}/u.test(decoded);
  return !isMalformed && !/^\/(?:v1$|(?:v\d+|r|assets)\/)/i.test(decoded);
}

/** The address of a page by its HTML file: "/funder" for "/funder.html", "/" for "/index.html"; undefined for other paths. */
export function cleanPath(path: string): string | undefined {
  const [, page] = /^(.*)\.html$/.exec(path) ?? [];
  return page?.replace(/\/index$/, "/");
}

/**
 * The file of a URL path below `public/`, e.g., "funder.html" for "/funder"; undefined if no file of the site has such a path.
 * `cleanPath` is its inverse. CloudFront functions run it too, see `plainPages.ts`.
 */
export function siteFile(path: string): string | undefined {
  if (path === "/") return "index.html";
  if (!/^\/(?:[\w-]+\/)*[\w-]+(?:\.[\w.-]*\w)?$/.test(path)) return undefined;
  const file = path.slice(1);
  return file.indexOf(".") < 0 ? `${file}.html` : file;
}

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
