// Rewrites requests for pages and files of the site to objects of the bucket, and sends all others to the server. CloudFront runs
// it before its cache, in runtime 2.0: see `contract/plainPages.ts` for the limits of that runtime.
import cf from "cloudfront";
import { findPlainPage } from "../../contract/plainPages.ts";
import { normalizePath } from "../../contract/query.ts";
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

/** The request as CloudFront continues with it: the cache behavior tries the bucket first, and then the server. */
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
  const path = normalizePath(request.uri);
  if (/^\/v1\/(?:downloads|changes)\/[\w.]+$/.test(path)) return query === "" ? path : undefined;
  if (/^\/v1\//.test(path)) {
    const encoding = request.headers["accept-encoding"];
    // Pages are stored gzipped, and CloudFront does not decompress.
    if (encoding === undefined || !/(?:^|[\s,])gzip\s*(?:,|$)/.test(encoding.value)) return undefined;
    const isKey =
      query === "" && !/\.feed\.json$/.test(path) && /^\/v1\/(?:funders|history|names)\/.+\.json$/.test(path);
    const key = isKey ? path.slice(1) : findPlainPage(path, query);
    // S3 reads "+" in a path as a space; "%2B" is a "+" for S3 and for the server.
    return key === undefined ? undefined : `/${key.replace(/\+/g, "%2B")}`;
  }
  const file = /\.html$|^\/(?:healthz|readyz|v1|404)$|^\/r\//.test(path) ? undefined : siteFile(path);
  return file === undefined ? undefined : `/${file}`;
}
