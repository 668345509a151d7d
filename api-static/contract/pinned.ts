// Splits the prefix `/r/{release}` off a URL: it pins a release instead of the current one.

export type PinnedPath = {
  /** e.g., "/r/20261120T040000Z"; "" if nothing is pinned. */
  readonly prefix: string;
  /** The text in the place of the release id, valid or not; undefined if nothing is pinned. */
  readonly release: string | undefined;
  /** The path without the prefix, e.g., "/v1/history". */
  readonly path: string;
};

/** @param pathname percent-encoded, as it was sent */
export function splitPinned(pathname: string): PinnedPath {
  const [, prefix = "", release, path = pathname] = /^(\/r\/([^/]*))(\/v1\/.*)/s.exec(pathname) ?? [];
  return { prefix, release, path };
}
