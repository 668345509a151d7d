// Plans how a request is answered: by the Worker itself, from the bucket, or by the server. It reads nothing.
import type { ApiError } from "../../contract/errors.ts";
import type { HistoryRequest } from "../../contract/operations/searches.ts";
import { invalidParameters, nothingHere } from "../../contract/refusals.ts";
import type { ParsedTarget } from "../../contract/request.ts";
import { cleanPath, isHashedPath, isPageAddress, missingPage, siteFile } from "../../contract/sitePaths.ts";

/** How a request is answered. All spellings of a request share a canonical `url`, and so an entry in the cache. */
export type Plan =
  | { readonly by: "error"; readonly error: ApiError }
  | { readonly by: "redirect"; readonly location: string }
  /** The page for addresses without a page, from the bucket. */
  | { readonly by: "missing"; readonly key: string }
  /** A page, totals or a file of names; by the server if the bucket does not have it. */
  | { readonly by: "page"; readonly key: string; readonly url: string; readonly page?: HistoryRequest }
  /** A file of the site. */
  | {
      readonly by: "site";
      readonly key: string;
      readonly url: string;
      /** The page's address, if the path names its file. */
      readonly location?: string;
      /** True if the server may have a file that the bucket does not have. */
      readonly isElsewhere: boolean;
    }
  /** A file that can be read in parts. */
  | { readonly by: "part"; readonly key: string; readonly url: string }
  /** The index of changes, or a file of changes. */
  | { readonly by: "changes"; readonly key: string; readonly url: string }
  | { readonly by: "server"; readonly url: string; readonly isCached: boolean };

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
  if (by === "site") return { by, key, url, isElsewhere: true };
  return { by, key, url, ...(request.kind === "history" && { page: request }) };
}

/** The answer to a path without content. */
export function planMissing(path: string): Extract<Plan, { by: "missing" | "error" }> {
  const key = isPageAddress(path) ? siteFile(missingPage) : undefined;
  return key === undefined ? { by: "error", error: nothingHere } : { by: "missing", key };
}

function planPath({ prefix, release, path, search }: ParsedTarget): Plan {
  if (release !== undefined) return { by: "server", url: prefix + path, isCached: true };
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
