// Holds the headers of a response until it is sent, in a plain record that Node.js writes as it is. `Headers` objects check,
// fold and sort, which costs as much as the rest of a page.
import type { Context } from "hono";
import { commonHeaders } from "../../contract/headers.ts";

declare module "hono" {
  interface ContextVariableMap {
    responseHeaders: Record<string, string>;
  }
}

/** Starts the response with the headers that every response has. */
export function startResponse(c: Context): void {
  c.set("responseHeaders", { ...commonHeaders });
}

/** Sets headers of the response; those of the same name are replaced. */
export function setHeaders(c: Context, headers: Readonly<Record<string, string>>): void {
  Object.assign(c.get("responseHeaders"), headers);
}

/** Removes headers that an earlier step set. */
export function removeHeaders(c: Context, names: readonly string[]): void {
  for (const name of names) delete c.get("responseHeaders")[name];
}

/** The response with all headers that were set. */
export function respond(c: Context, body: ConstructorParameters<typeof Response>[0], status = 200): Response {
  return new Response(body, { status, headers: c.get("responseHeaders") });
}
