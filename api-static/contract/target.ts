// Parses the path and query of any URL: the release that it pins, and its request, by operation or by page key.
import { type ChangesRequest, parseChangesKey } from "./changes.ts";
import { type DownloadRequest, parseDownloadKey } from "./downloads.ts";
import { type NamesRequest, parseNamesKey } from "./names.ts";
import { parsePageKey, parseTotalsKey } from "./pageKeys.ts";
import { decodePath } from "./query.ts";
import { type ParsedUrl, parseRequest } from "./request.ts";

type PinnedPath = {
  /** e.g., "/r/20261120T040000Z"; "" if no release is pinned. */
  readonly prefix: string;
  /** The text in the place of the release id, valid or not; undefined if no release is pinned. */
  readonly release: string | undefined;
  /** The path without the prefix, e.g., "/v1/history". */
  readonly path: string;
};

export type ParsedTarget = PinnedPath & {
  /** The query with its "?", or "" if there is none. */
  readonly search: string;
  /** "unknown" for the site's files and paths for operators. */
  readonly request: ParsedUrl | NamesRequest | DownloadRequest | ChangesRequest;
};

/** @param pathname percent-encoded, as it was sent */
export function parseTarget(pathname: string, search: string): ParsedTarget {
  const pinned = splitPinned(pathname);
  const key = search === "" ? decodePath(pinned.path).slice(1) : "";
  const request =
    parsePageKey(key) ??
    parseTotalsKey(key) ??
    parseNamesKey(key) ??
    parseDownloadKey(key) ??
    parseChangesKey(key) ??
    parseRequest(pinned.path, search);
  // A feed is about the changes up to now, so no release pins it.
  const isPinnedFeed = request.kind === "feed" && pinned.release !== undefined;
  return { ...pinned, search, request: isPinnedFeed ? { kind: "unknown" } : request };
}

/** Splits off the prefix `/r/{release}`, which pins a release instead of the current one. */
export function splitPinned(pathname: string): PinnedPath {
  const [, prefix = "", release, path = pathname] = /^(\/r\/([^/]*))(\/v1\/.*)/s.exec(pathname) ?? [];
  return { prefix, release, path };
}
