// Plans how a request is answered: by the Worker itself, from the bucket, or by the server. It reads nothing.
import { type ChangesRequest, changesFolder } from "../../contract/changes.ts";
import { downloadKey } from "../../contract/downloads.ts";
import type { ApiError } from "../../contract/errors.ts";
import { namesKey } from "../../contract/names.ts";
import { namesHref, organizationsHref } from "../../contract/organizations.ts";
import { feedHref, href, keyPath, pageKey, totalsHref, totalsKeyOf } from "../../contract/pageKeys.ts";
import { invalidParameters, nothingHere } from "../../contract/refusals.ts";
import type { HistoryRequest, TotalsRequest } from "../../contract/request.ts";
import { findRoute, mcpPath, type Route, routes } from "../../contract/routes.ts";
import { cleanPath, isHashedPath, isPageAddress, missingPage, siteFile } from "../../contract/sitePaths.ts";
import { type ParsedTarget, parseTarget } from "../../contract/target.ts";

/** How a request is answered. All spellings of a request share a canonical `url`, and so an entry in the cache. */
export type Plan =
  | { readonly by: "error"; readonly error: ApiError }
  | { readonly by: "redirect"; readonly location: string }
  /** The page for addresses without a page, from the bucket. */
  | { readonly by: "missing"; readonly key: string }
  /** A page or a file of names; by the server if the bucket does not have it. */
  | { readonly by: "page"; readonly key: string; readonly url: string; readonly request?: HistoryRequest }
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
  | { readonly by: "file"; readonly key: string; readonly url: string }
  /** The index of changes, or a file of changes. */
  | { readonly by: "changes"; readonly name: string; readonly key: string; readonly url: string }
  | { readonly by: "server"; readonly url: string; readonly isCached: boolean };

/** Paths for operators, monitors and agents, and whether their responses are cached. */
const operatorRoutes: Partial<Record<Route | typeof mcpPath, boolean>> = {
  [routes.health]: false,
  [routes.ready]: false,
  [routes.status]: true,
  [routes.report]: true,
  [mcpPath]: false,
};

/** Plans the response to a GET or HEAD. @param search with its "?", or "" */
export function planRequest(pathname: string, search: string): Plan {
  const target = parseTarget(pathname, search);
  const { prefix, path, request } = target;
  switch (request.kind) {
    case "refused":
      return { by: "error", error: invalidParameters(request.problems) };
    case "redirect":
      return { by: "redirect", location: prefix + request.location };
    case "history":
      return planHistory(target, request);
    case "totals":
      return planTotals(target, request);
    case "names":
      return planPage(target, namesKey(request.prefix));
    case "download":
      return planDownload(target, downloadKey(request.name));
    case "changes":
      return planChanges(target, request);
    case "export":
    case "groupsExport":
      return { by: "server", url: pathname + search, isCached: false }; // may be larger than the cache takes
    case "reconcile":
    case "suggest":
    case "preview":
      return { by: "server", url: pathname + search, isCached: false };
    case "organizations":
      return { by: "server", url: prefix + organizationsHref(request), isCached: true };
    case "namesOf":
      return { by: "server", url: prefix + namesHref(request), isCached: true };
    case "groups":
    case "likelyFunders":
    case "shared":
      return { by: "server", url: pathname + search, isCached: true };
    case "feed":
      return { by: "server", url: feedHref(request), isCached: true };
    case "summary":
    case "peers":
    case "organization":
    case "grant":
      return { by: "server", url: prefix + path, isCached: true };
    case "unknown":
      return planPath(target);
  }
}

function planHistory({ prefix, release }: ParsedTarget, request: HistoryRequest): Plan {
  const key = release === undefined ? pageKey(request) : undefined;
  const url = prefix + href(request);
  return key === undefined ? { by: "server", url, isCached: true } : { by: "page", key, url, request };
}

function planTotals({ prefix, release }: ParsedTarget, request: TotalsRequest): Plan {
  const key = release === undefined ? totalsKeyOf(request) : undefined;
  const url = prefix + totalsHref(request);
  return key === undefined ? { by: "server", url, isCached: true } : { by: "page", key, url };
}

function planPage({ prefix, release }: ParsedTarget, key: string): Plan {
  const url = prefix + keyPath(key);
  return release === undefined ? { by: "page", key, url } : { by: "server", url, isCached: true };
}

function planDownload({ prefix, release }: ParsedTarget, key: string): Plan {
  const url = prefix + keyPath(key);
  return release === undefined ? { by: "file", key, url } : { by: "server", url, isCached: false };
}

function planChanges({ prefix, release, path }: ParsedTarget, { name }: ChangesRequest): Plan {
  if (release !== undefined) return { by: "server", url: prefix + path, isCached: false };
  return { by: "changes", name, key: `${changesFolder}/${name}`, url: path };
}

/** The answer to a path without content. */
export function planMissing(path: string): Extract<Plan, { by: "missing" | "error" }> {
  const key = isPageAddress(path) ? siteFile(missingPage) : undefined;
  return key === undefined ? { by: "error", error: nothingHere } : { by: "missing", key };
}

/** The bucket holds only the current release. */
function planPath({ prefix, release, path, search }: ParsedTarget): Plan {
  if (release !== undefined) return { by: "server", url: prefix + path, isCached: true };
  const route = findRoute(path);
  const isCached = route === undefined ? undefined : operatorRoutes[route];
  if (isCached !== undefined) return { by: "server", url: path, isCached };
  const file = path === "/v1" || /^\/(?:v1|releases)\//.test(path) ? undefined : siteFile(path);
  if (file === undefined || path === missingPage) return planMissing(path);
  const clean = cleanPath(path);
  return {
    by: "site",
    key: file,
    url: path,
    isElsewhere: isHashedPath(path) || route === routes.openapi,
    ...(clean === undefined ? {} : { location: clean + search }),
  };
}
