// Owns the headers of an answer while they are gathered: a plain record, which Node.js writes as it is. Through `Headers` objects,
// which check, fold and sort, they cost as much as the rest of a page.
import type { Context } from "hono";
import { commonHeaders } from "../../contract/headers.ts";

declare module "hono" {
  interface ContextVariableMap {
    headers: Record<string, string>;
  }
}

/** Begins the answer, with the headers that all answers have. */
export function beginReply(c: Context): void {
  c.set("headers", { ...commonHeaders });
}

/** Gives the answer further headers; those of the same name are replaced. */
export function addHeaders(c: Context, more: Readonly<Record<string, string>>): void {
  Object.assign(c.get("headers"), more);
}

/** Takes headers back that an earlier step gave. */
export function dropHeaders(c: Context, names: readonly string[]): void {
  for (const name of names) delete c.get("headers")[name];
}

/** The answer, with all headers that it was given. */
export function reply(c: Context, body: ConstructorParameters<typeof Response>[0], status = 200): Response {
  return new Response(body, { status, headers: c.get("headers") });
}
