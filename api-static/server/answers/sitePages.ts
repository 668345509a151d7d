// Answers with pages of the site where the API answers with an error: no page at an address, and no release yet.
import { type ErrorCode, statuses } from "../../contract/errors.ts";
import { cacheOfError, htmlHeaders } from "../../contract/headers.ts";
import { nothingHere } from "../../contract/refusals.ts";
import { cleanPath, isPageAddress, missingPage } from "../../contract/sitePaths.ts";
import type { SiteFile } from "../../release/siteFiles.ts";
import type { Exchange } from "../http/exchange.ts";
import { prepareContent, prepareError, prepareRedirect, prepareText, type Reply } from "../http/reply.ts";

/** The site's files by URL path. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Seconds after which a browser or a crawler may ask again for a page before the first release. */
const earlySeconds = 5;

/** The answer to a path without a file: the name of a page's file leads to the page, and other paths have no content. */
export function prepareNoFile(exchange: Exchange, site: Site): Reply {
  const { path, search } = exchange.target;
  const clean = cleanPath(path);
  if (clean !== undefined && site.has(clean)) return prepareRedirect(exchange, clean + search);
  const page = isPageAddress(path) ? site.get(missingPage) : undefined;
  return page === undefined ? prepareError(exchange, nothingHere) : preparePage(exchange, page, "not_found");
}

/**
 * The site before the first release: pages and their assets come from the built site, and the pages' scripts show that the release
 * is being made. Undefined for paths of the API, and if the site is not built.
 */
export function prepareEarly(exchange: Exchange, site: Site): Reply | Promise<Reply> | undefined {
  const { path } = exchange.target;
  const file = site.get(path);
  if (file === undefined || path === missingPage)
    return site.has(missingPage) && isPageAddress(path) ? prepareNoFile(exchange, site) : undefined;
  if (!file.type.startsWith("text/html")) return prepareContent(exchange, file);
  return preparePage(exchange, file, "not_ready", { "Retry-After": String(earlySeconds) });
}

function preparePage(
  exchange: Exchange,
  { type, body }: SiteFile,
  code: ErrorCode,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const all = { ...htmlHeaders, "Cache-Control": cacheOfError(code), ...headers };
  return { ...prepareText(exchange, body.toString(), type, all), status: statuses[code], code };
}
