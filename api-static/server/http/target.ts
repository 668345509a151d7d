// Owns what a request's URL names: read once, for all who ask.
import type { Context } from "hono";
import { type PinnedPath, splitPinned } from "../../contract/pinned.ts";

declare module "hono" {
  interface ContextVariableMap {
    target: Target;
  }
}

export type Target = PinnedPath & {
  /** The whole path as it was sent, percent-encoded. */
  readonly pathname: string;
  /** The query with its "?"; "" without one. */
  readonly search: string;
};

/** Reads the URL of the request. */
export function readTarget(c: Context): void {
  const { pathname, search } = new URL(c.req.url);
  c.set("target", { ...splitPinned(pathname), pathname, search });
}
