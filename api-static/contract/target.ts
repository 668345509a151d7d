// Parses the path and query of any URL: the release that it pins, and what it requests, by its operation or by a page key.
import { type NamesRequest, parseNamesKey } from "./names.ts";
import { parsePageKey } from "./pageKeys.ts";
import { type ParsedUrl, parseRequest } from "./request.ts";

type PinnedPath = {
  /** e.g., "/r/20261120T040000Z"; "" if nothing is pinned. */
  readonly prefix: string;
  /** The text in the place of the release id, valid or not; undefined if nothing is pinned. */
  readonly release: string | undefined;
  /** The path without the prefix, e.g., "/v1/history". */
  readonly path: string;
};

export type Target = PinnedPath & {
  /** The query with its "?", or "" if there is none. */
  readonly search: string;
  /** "unknown" for the site's files and paths for operators. */
  readonly request: ParsedUrl | NamesRequest;
};

/**
 * @param pathname percent-encoded, as it was sent
 * @param search with its "?", or ""
 */
export function parseTarget(pathname: string, search: string): Target {
  const pinned = splitPinned(pathname);
  const byKey = search === "" ? parseKey(decodePath(pinned.path).slice(1)) : undefined;
  return { ...pinned, search, request: byKey ?? parseRequest(pinned.path, search) };
}

/** Splits off the prefix `/r/{release}`, which pins a release instead of the current one. */
export function splitPinned(pathname: string): PinnedPath {
  const [, prefix = "", release, path = pathname] = /^(\/r\/([^/]*))(\/v1\/.*)/s.exec(pathname) ?? [];
  return { prefix, release, path };
}

function parseKey(key: string): Target["request"] | undefined {
  return parsePageKey(key) ?? parseNamesKey(key);
}

/** A path decoded once, as file servers do it. A path that cannot be decoded is returned unchanged: no page has such a path. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
