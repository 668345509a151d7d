// Answers with files of the site; also with its pages where the API answers with an error: no page at an address, and no release yet.
import { type ErrorCode, statuses } from "../../contract/errors.ts";
import { cacheOfError, cachePinnedPage, htmlHeaders } from "../../contract/headers.ts";
import { nothingHere } from "../../contract/refusals.ts";
import { cleanPath, isPageAddress, missingPage } from "../../contract/sitePaths.ts";
import { findFunderRow } from "../../release/layout.ts";
import type { SiteFile } from "../../release/siteFiles.ts";
import type { Release } from "../../search/release.ts";
import type { Exchange } from "../http/exchange.ts";
import {
  type Content,
  prepareContent,
  prepareError,
  prepareRedirect,
  prepareText,
  type Reply,
} from "../http/reply.ts";
import type { Asked } from "./asked.ts";
import { describePage, writeTags } from "./pageTags.ts";

/** The site's files by URL path. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Seconds after which a browser or a crawler may ask again for a page before the first release. */
const earlySeconds = 5;

/** Answers with a file of the site, or of one of the last sites. */
export async function answerSiteFile({ exchange, release, context }: Asked): Promise<Reply> {
  const { path, release: pinned } = exchange.target;
  // The server answers all releases alike, so its newest pages fit an older release.
  const { site } = (pinned === undefined ? undefined : context.releases.current) ?? release;
  const file = site.get(path) ?? (await context.releases.findAsset(path));
  if (file === undefined || path === missingPage) return prepareNoFile(exchange, site);
  if (!file.type.startsWith("text/html")) return prepareContent(exchange, file);
  return prepareContent(exchange, tagPage(exchange, release, file, context.siteUrl), {
    headers: pinned === undefined ? htmlHeaders : { ...htmlHeaders, "Cache-Control": cachePinnedPage },
  });
}

/** The page at an address in a release that is not kept, whose script says what to do; undefined for other paths. */
export function prepareGone(exchange: Exchange, site: Site | undefined): Reply | undefined {
  const page = site?.get(exchange.target.path);
  return page?.type.startsWith("text/html") ? preparePage(exchange, page, "release_not_found") : undefined;
}

/** A page with the title and description of its address. */
function tagPage(
  { target: { path, search } }: Exchange,
  { funders, organizations }: Release,
  file: SiteFile,
  siteUrl: string,
): Content {
  const tags = describePage(path, search, {
    nameOf: (ein) => organizations.findName(ein),
    countOf: (ein) => findFunderRow(funders, Number(ein))?.records,
  });
  if (tags === undefined && siteUrl === "") return file;
  return { type: file.type, body: Buffer.from(writeTags(file.body.toString(), tags, siteUrl)) };
}

/** The answer to a path without a file: the name of a page's file leads to the page, and other paths have no content. */
function prepareNoFile(exchange: Exchange, site: Site): Reply {
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
