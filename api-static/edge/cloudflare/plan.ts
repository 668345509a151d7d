// Plans how a request is answered: by the Worker itself, from the bucket, or by the server. It reads nothing.
import { changesFolder, changesIndexName } from "../../contract/answers/changes.ts";
import type { ApiError } from "../../contract/errors.ts";
import { cacheBriefly } from "../../contract/headers.ts";
import type { HistoryRequest } from "../../contract/operations/searches.ts";
import { invalidParameters, nothingHere } from "../../contract/refusals.ts";
import type { ParsedTarget } from "../../contract/request.ts";
import { cleanPath, isHashedPath, isPageAddress, missingPage, siteFile } from "../../contract/sitePaths.ts";

/** How a request is answered. All spellings of a request share a canonical `url`, and so an entry in the cache. */
export type Plan =
  | { readonly by: "error"; readonly error: ApiError }
  | { readonly by: "redirect"; readonly location: string }
  | StoredPlan
  /** A file that can be read in parts. */
  | { readonly by: "part"; readonly key: string; readonly url: string }
  /** A file of changes, which their index names. */
  | { readonly by: "changes"; readonly key: string; readonly url: string }
  | { readonly by: "server"; readonly url: string; readonly isCached: boolean };

/** From the bucket: a stored page, totals or names; a file of the site or the index of changes; or the page for addresses without a page. */
export type StoredPlan = {
  readonly by: "page" | "site" | "missing";
  readonly key: string;
  readonly url: string;
  /** The request for a page of grants, which has links to others. */
  readonly page?: HistoryRequest;
  /** The page's address, if the path names its file. */
  readonly location?: string;
  /** True if the server may have what the bucket does not have. */
  readonly isElsewhere?: boolean;
  readonly cacheControl?: string;
};

const changesIndex = `${changesFolder}/${changesIndexName}`;

/** Plans the response to a GET or HEAD. The bucket holds only the current release. */
export function planTarget(target: ParsedTarget): Plan {
  const { prefix, path, search, release, operation, request } = target;
  if (request.kind === "refused") return { by: "error", error: invalidParameters(request.problems) };
  if (request.kind === "redirect") return { by: "redirect", location: prefix + request.location };
  if (request.kind === "unknown" || operation === undefined) return planPath(target);
  const { parameters = [], file: by = "page", isCached = true } = operation;
  const asSent = parameters.length === 0 ? path : path + search;
  const url = prefix + (operation.href?.(request) ?? asSent);
  const key = release === undefined ? operation.keyOf?.(request) : undefined;
  if (key === undefined) return { by: "server", url, isCached };
  if (key === changesIndex) return { by: "site", key, url, isElsewhere: true, cacheControl: cacheBriefly };
  if (by === "part" || by === "changes") return { by, key, url };
  return { by, key, url, isElsewhere: true, ...(request.kind === "history" && { page: request }) };
}

/** The answer to a path without content. */
export function planMissing(path: string): Plan {
  const key = isPageAddress(path) ? siteFile(missingPage) : undefined;
  return key === undefined ? { by: "error", error: nothingHere } : { by: "missing", key, url: missingPage };
}

function planPath({ prefix, release, path, search }: ParsedTarget): Plan {
  if (release !== undefined) return { by: "server", url: prefix + path + search, isCached: true };
  const file = path === "/v1" || /^\/(?:v1|releases)\//.test(path) ? undefined : siteFile(path);
  if (file === undefined || path === missingPage) return planMissing(path);
  const clean = cleanPath(path);
  return {
    by: "site",
    key: file,
    url: path,
    isElsewhere: isHashedPath(path),
    ...(clean === undefined ? {} : { location: clean + search }),
  };
}
