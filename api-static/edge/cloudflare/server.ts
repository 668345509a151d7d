// Asks the server for what the bucket does not have.
import type { ApiError } from "../../contract/errors.ts";
import { refuse } from "./refuse.ts";
import type { Host } from "./runtime.ts";

const noServer: ApiError = {
  code: "not_ready",
  message: "no server answers; try again in a few seconds",
  retryAfter: 5,
};

/** Of the connection to the server, of one request, or of a body that is not encoded any more. */
const droppedHeaders = [
  ...["Connection", "Keep-Alive", "Transfer-Encoding", "Date", "Vary"],
  ...["X-Request-Id", "Content-Encoding", "Content-Length"],
];

/**
 * The server's response to a GET without conditions, decoded, as the cache keeps it: its ETag is that of the plain body.
 * 503 `not_ready` if no server answers.
 */
export async function askServer(host: Host, request: Request, url: string): Promise<Response> {
  const response = await fetchServer(host, request, url, "GET", { "Accept-Encoding": "gzip" });
  const headers = new Headers(response.headers);
  for (const name of droppedHeaders) headers.delete(name);
  const etag = headers.get("ETag")?.replace(/-gzip"$/, '"');
  if (etag !== undefined) headers.set("ETag", etag);
  return new Response(response.body, { status: response.status, headers });
}

/** The server's response while it arrives, in the encoding that the client accepts. */
export function passToServer(host: Host, request: Request, url: string): Promise<Response> {
  const headers: Record<string, string> = {};
  for (const name of ["Accept-Encoding", "If-None-Match"]) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return fetchServer(host, request, url, request.method, headers);
}

/** The server sees the client's address, which limits its searches, and its request id. */
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
  try {
    const response = await host.fetch(
      new Request(host.origin + url, { method, headers, redirect: "manual" }),
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
