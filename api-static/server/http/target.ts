// Reads a request's URL once: the pinned release, the path and the query.
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
  /** The query with its "?", or "" if there is none. */
  readonly search: string;
};

/** Reads the URL of the request into `target`. */
export function readTarget(c: Context): void {
  const { pathname, search } = new URL(c.req.url);
  c.set("target", { ...splitPinned(pathname), pathname, search });
}
