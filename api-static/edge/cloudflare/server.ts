// Asks the server for responses that the bucket does not have.
import type { ApiError } from "../../contract/errors.ts";
import { refuse } from "./cache.ts";
import type { Host } from "./runtime.ts";

const noServer: ApiError = {
  code: "not_ready",
  message: "no server answers; try again in a few seconds",
  retryAfter: 5,
};

/** Headers of the connection to the server, of one request, or of the encoded body. */
const droppedHeaders = [
  "Connection",
  "Keep-Alive",
  "Transfer-Encoding",
  "Date",
  "Vary",
  "X-Request-Id",
  "Content-Encoding",
  "Content-Length",
];

/** The server's response to a GET without conditions, decoded and with the ETag of the plain body, as the cache keeps it. */
export async function askServer(host: Host, request: Request, url: string): Promise<Response> {
  const response = await fetchServer(host, request, url, "GET", { "Accept-Encoding": "gzip" });
  const headers = new Headers(response.headers);
  for (const name of droppedHeaders) headers.delete(name);
  const etag = headers.get("ETag")?.replace(/-gzip"$/, '"');
  if (etag !== undefined) headers.set("ETag", etag);
  return new Response(response.body, { status: response.status, headers });
}

/** Headers of requests that the server answers itself: of conditions and ranges, of bodies, and of agents. */
const passedHeaders = [
  "Accept-Encoding",
  "If-Match",
  "If-None-Match",
  "Range",
  "If-Range",
  "Content-Type",
  "Origin",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
];

/** Streams the server's response, in an encoding that the client accepts; and a body to the server, if there is one. */
export function passToServer(host: Host, request: Request, url: string): Promise<Response> {
  const headers: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return fetchServer(host, request, url, request.method, headers);
}

/**
 * Forwards the client's address, by which the server limits searches, its request id, and the host that it asked, to which some
 * responses link. 503 if no server answers.
 */
async function fetchServer(
  host: Host,
  request: Request,
  url: string,
  method: string,
  headers: Record<string, string>,
): Promise<Response> {
  for (const [name, from] of [
    ["X-Request-Id", "X-Request-Id"],
    ["X-Forwarded-For", "CF-Connecting-IP"],
  ] as const) {
    const value = request.headers.get(from);
    if (value !== null) headers[name] = value;
  }
  const asked = new URL(request.url);
  headers["X-Forwarded-Host"] = asked.host;
  headers["X-Forwarded-Proto"] = asked.protocol.slice(0, -1);
  const form = method === "POST" ? { body: request.body, duplex: "half" as const } : {};
  try {
    const response = await host.fetch(
      new Request(host.origin + url, { method, headers, redirect: "manual", ...form }),
    );
    return isGatewayFailure(response.status) ? refuse(noServer) : response;
  } catch (error) {
    host.onFailure(error);
    return refuse(noServer);
  }
}

/** Statuses of proxies in front of the server; the server sends none of them. */
function isGatewayFailure(status: number): boolean {
  return status === 502 || status === 504 || status >= 520;
}
