// Parses the path and query of any URL: the release that it pins, and what it requests, by its operation or by a page key.
import { type NamesRequest, parseNamesKey } from "./names.ts";
import { parsePageKey } from "./pageKeys.ts";
import { type PinnedPath, splitPinned } from "./pinned.ts";
import { type ParsedUrl, parseRequest } from "./request.ts";

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
