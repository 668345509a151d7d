// Defines feeds: the operations, their formats, and the text of a feed as Atom (RFC 4287) and as JSON Feed 1.1.

import type { Filters } from "../filters.ts";
import { filterParameters } from "../parameters.ts";
import { escapeXml, formatDollars, printable } from "../text/searchText.ts";
import type { Draft } from "../values.ts";
import { found, type Operation, searchErrors } from "./operation.ts";
import { formatQuery, historyPath } from "./searches.ts";

export const feedTypes = {
  atom: "application/atom+xml; charset=utf-8",
  json: "application/feed+json",
} as const;

export type FeedFormat = keyof typeof feedTypes;

/** The matching grants that were added last. */
export type FeedRequest = {
  readonly kind: "feed";
  readonly scope: "search" | "funder";
  readonly format: FeedFormat;
  readonly filters: Filters;
};

/** The canonical URL of a feed. Parsing it gives the same request. */
export function feedHref(request: FeedRequest): string {
  const ending = request.format === "atom" ? ".atom" : ".feed.json";
  return `${historyPath(request)}${ending}${formatQuery(request)}`;
}

/** A feed is about the changes up to now, so no release pins it. */
function following(scope: FeedRequest["scope"], format: FeedFormat) {
  return {
    parameters: filterParameters,
    answer: { about: "The feed.", type: feedTypes[format].replace(/;.*/, ""), headers: found },
    errors: searchErrors,
    isPinned: false,
    toRequest: (filters: Draft): FeedRequest => ({ kind: "feed", scope, format, filters }),
    href: feedHref,
  } as const;
}

export const feedOperations = [
  {
    id: "followGrants",
    summary: "Matching grants that were added last, as Atom",
    path: "/v1/history.atom",
    ...following("search", "atom"),
  },
  {
    id: "followGrantsJson",
    summary: "Matching grants that were added last, as JSON Feed",
    path: "/v1/history.feed.json",
    ...following("search", "json"),
  },
  {
    id: "followFunder",
    summary: "Matching grants of one funder that were added last, as Atom",
    path: "/v1/funders/{funder_ein}/history.atom",
    ...following("funder", "atom"),
  },
  {
    id: "followFunderJson",
    summary: "Matching grants of one funder that were added last, as JSON Feed",
    path: "/v1/funders/{funder_ein}/history.feed.json",
    ...following("funder", "json"),
  },
] as const satisfies readonly Operation<FeedRequest>[];

/** A feed. URLs are absolute if the service knows where people reach it, else paths. */
export type Feed = {
  /** A URI that the same feed has on every host. */
  readonly id: string;
  readonly title: string;
  readonly url: string;
  /** The page of the site. */
  readonly page: string;
  /** When the release was made, ISO 8601 in UTC: a feed without entries was updated then. */
  readonly madeAt: string;
  readonly entries: readonly FeedEntry[];
};

export type FeedEntry = {
  /** A URI that the same grant has on every host, in every release. */
  readonly id: string;
  readonly page: string;
  /** When the release that added the grant became current, ISO 8601 in UTC. */
  readonly at: string;
  readonly funder: string;
  readonly recipient: string;
  readonly year: number;
  readonly cents: bigint;
  readonly nonCashCents: bigint | null;
  readonly purpose: string | null;
};

const author = "Grant History";

export function formatFeed(feed: Feed, format: FeedFormat): string {
  return format === "atom" ? formatAtom(feed) : formatJsonFeed(feed);
}

function formatAtom({ id, title, url, page, madeAt, entries }: Feed): string {
  const element = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>\n`;
  const link = (relation: string, href: string) => `<link rel="${relation}" href="${escapeXml(href)}"/>\n`;
  const items = entries.map((entry) => {
    const { title, summary } = describe(entry);
    const about = element("id", entry.id) + element("title", title) + element("updated", entry.at);
    return `<entry>\n${about}${link("alternate", entry.page)}${element("summary", summary)}</entry>\n`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
${element("id", id)}${element("title", printable(title))}${element("updated", entries[0]?.at ?? madeAt)}${link("self", url)}${link("alternate", page)}<author>${element("name", author).trimEnd()}</author>
${items.join("")}</feed>
`;
}

function formatJsonFeed({ title, url, page, entries }: Feed): string {
  const items = entries.map((entry) => {
    const { title, summary } = describe(entry);
    return { id: entry.id, url: entry.page, title, content_text: summary, date_published: entry.at };
  });
  const about = { title: printable(title), home_page_url: page, feed_url: url, authors: [{ name: author }] };
  return `${JSON.stringify({ version: "https://jsonfeed.org/version/1.1", ...about, items }, null, 1)}\n`;
}

/** e.g., "$25,000 from FORD FOUNDATION to FOOD BANK (2021)", and what for. */
function describe({ funder, recipient, year, cents, nonCashCents, purpose }: FeedEntry) {
  const title = printable(`${formatDollars(cents)} from ${funder} to ${recipient} (${year})`);
  const nonCash =
    (nonCashCents ?? 0n) > 0n ? `With ${formatDollars(nonCashCents ?? 0n)} of non-cash support. ` : "";
  return { title, summary: printable(nonCash + (purpose ?? "No purpose is given.")) };
}
