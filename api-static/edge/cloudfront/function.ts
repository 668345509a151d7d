// Rewrites requests for pages and files of the site to the objects of the bucket; sends all others to the server. It runs on
// each request before CloudFront's cache, in runtime 2.0: see `contract/plainPages.ts` for what that can run.
import cf from "cloudfront";
import { findPlainPage } from "../../contract/plainPages.ts";
import { siteFile } from "../../contract/sitePaths.ts";

/** The part of CloudFront's event that the function uses. */
export type FunctionEvent = {
  readonly request: {
    readonly method: string;
    uri: string;
    querystring: Record<string, unknown>;
    readonly headers: Readonly<Record<string, { readonly value: string } | undefined>>;
    /** Without "?"; empty or undefined if there is none. */
    rawQueryString(): string | undefined;
  };
};

/** The id of the server among the distribution's origins. */
export const serverOrigin = "server";

/**
 * Returns the request for CloudFront to go on with: the cache behavior sends it to the bucket first, and to the server if that
 * fails.
 */
export function handler(event: FunctionEvent): FunctionEvent["request"] {
  const request = event.request;
  const object = findObject(request);
  if (object === undefined) {
    cf.selectRequestOriginById(serverOrigin);
    return request;
  }
  request.uri = object;
  request.querystring = {};
  return request;
}

/** The URL path of the object that may answer; undefined if only the server can. */
function findObject(request: FunctionEvent["request"]): string | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const query = request.rawQueryString() || "";
  const path = request.uri;
  if (/^\/v1\//.test(path)) {
    const encoding = request.headers["accept-encoding"];
    // Pages are stored gzipped, and CloudFront does not decompress.
    if (encoding === undefined || !/(?:^|[\s,])gzip\s*(?:,|$)/.test(encoding.value)) return undefined;
    const key = isKey(path) && query === "" ? path.slice(1) : findPlainPage(path, query);
    // S3 reads "+" in a path as a space; "%2B" is a "+" for S3 and for the server.
    return key === undefined ? undefined : `/${key.replace(/\+/g, "%2B")}`;
  }
  const file = /\.html$|^\/(?:healthz|readyz|v1)$|^\/r\//.test(path) ? undefined : siteFile(path);
  return file === undefined ? undefined : `/${file}`;
}

/** True for paths of page files and files of names. */
function isKey(path: string): boolean {
  return /^\/v1\/(?:funders|history|names)\/.+\.json$/.test(path);
}
