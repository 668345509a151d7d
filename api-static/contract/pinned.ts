// Owns the prefix of URLs that pin a release: `/r/{release}` before a path of the API asks that release, not the current one.

export type PinnedPath = {
  /** e.g., "/r/20261120T040000Z"; "" where nothing is pinned. */
  readonly prefix: string;
  /** What stands for the release's id, whatever it is; undefined where nothing is pinned. */
  readonly release: string | undefined;
  /** The path without the prefix, e.g., "/v1/history". */
  readonly path: string;
};

/** Splits a URL's path, percent-encoded as it is sent. */
export function splitPinned(pathname: string): PinnedPath {
  const [, prefix = "", release, path = pathname] = /^(\/r\/([^/]*))(\/v1\/.*)$/s.exec(pathname) ?? [];
  return { prefix, release, path };
}
