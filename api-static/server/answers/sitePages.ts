// Answers people with pages of the site where the API answers with an error: no page at an address, and no release yet.
import { type ErrorCode, statuses } from "../../contract/errors.ts";
import { cacheOfError, htmlHeaders } from "../../contract/headers.ts";
import { nothingHere } from "../../contract/refusals.ts";
import type { SiteFile } from "../../release/siteFiles.ts";
import type { Exchange } from "../http/exchange.ts";
import { type Prepared, prepareContent, prepareError, prepareText } from "../http/prepared.ts";

/** The site's files by URL path. */
export type Site = ReadonlyMap<string, SiteFile>;

/** The address of the page for addresses without a page; static hosts use its file, 404.html. */
const missingPage = "/404";

/** Seconds after which a browser or a crawler may ask again for a page before the first release. */
const earlySeconds = 5;

/** The answer to a path that does not exist: a page for browsers, and an error for other clients and below the API's paths. */
export function prepareMissing(exchange: Exchange, site: Site): Prepared {
  const page = site.get(missingPage);
  const isApi = /^\/(?:v1|r|assets)\//.test(exchange.target.path);
  if (isApi || page === undefined) return prepareError(exchange, nothingHere);
  if (!/\btext\/html\b/.test(exchange.request.headers.accept ?? ""))
    return prepareError(exchange, nothingHere);
  // Shared caches keep only the error: some do not tell two forms of a URL apart.
  return preparePage(exchange, page, "not_found", { "Cache-Control": "private, max-age=60", Vary: "Accept" });
}

/**
 * A file of the site before the first release: pages and their assets come from the built site, and the pages' scripts show that
 * the release is being made. Undefined if the site has no such file.
 */
export function prepareEarly(exchange: Exchange, site: Site): Prepared | Promise<Prepared> | undefined {
  const file = site.get(exchange.target.path);
  if (file === undefined) return undefined;
  if (!file.type.startsWith("text/html")) return prepareContent(exchange, { ...file, isGzipped: false });
  const headers = { "Cache-Control": cacheOfError("not_ready"), "Retry-After": String(earlySeconds) };
  return preparePage(exchange, file, "not_ready", headers);
}

function preparePage(
  exchange: Exchange,
  { type, body }: SiteFile,
  code: ErrorCode,
  headers: Readonly<Record<string, string>>,
): Prepared {
  const prepared = prepareText(exchange, body.toString(), type, { ...htmlHeaders, ...headers });
  return { ...prepared, status: statuses[code], code };
}
