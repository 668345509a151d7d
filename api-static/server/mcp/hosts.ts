// Checks the Host and Origin of an agent's request: a page of another site must not reach a server on this machine by its own name.
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import type { ServiceRequest } from "../http/exchange.ts";

/** Why a request is refused; undefined if its host, and its origin if it has one, are allowed. */
export function findForeignHost(
  { headers: { host, origin } }: ServiceRequest,
  allowed: readonly string[],
): string | undefined {
  const names = [...allowed];
  if (!validateHostHeader(host?.toLowerCase(), names).ok)
    return "the Host header names a host that MCP_HOSTS does not list";
  if (!validateOriginHeader(origin, names).ok)
    return "the Origin header names a host that MCP_HOSTS does not list";
  return undefined;
}
