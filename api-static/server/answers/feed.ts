// Answers with a feed: the matching grants that were added last, read from the files of changes.
import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { type ChangesIndex, changesName } from "../../contract/answers/changes.ts";
import { lineEnd } from "../../contract/answers/envelope.ts";
import type { GrantRecord } from "../../contract/answers/record.ts";
import { type Ein, hyphenateEin } from "../../contract/ein.ts";
import { cacheBriefly } from "../../contract/headers.ts";
import { feedEntriesMax, feedFilesMax } from "../../contract/limits.ts";
import {
  type Feed,
  type FeedEntry,
  type FeedRequest,
  feedHref,
  feedTypes,
  formatFeed,
} from "../../contract/operations/feeds.ts";
import { formatQuery } from "../../contract/operations/searches.ts";
import { readCents } from "../../contract/text/amount.ts";
import { isAbsence } from "../../release/systemErrors.ts";
import { type AddedFile, addedKey, findAdded } from "../../search/addedGrants.ts";
import { hasTopic } from "../../search/answer.ts";
import type { Release } from "../../search/release.ts";
import { prepareContent, type Reply } from "../http/reply.ts";
import { type Asked, refuseScope } from "./asked.ts";
import type { ChangesFolder } from "./changesFolder.ts";
import { describePage } from "./pageTags.ts";

/** Changes that can be read: the Parquet file, and when its newer release became current. */
type Step = AddedFile & { readonly at: string };

/** The namespace of the names of feeds and entries (RFC 9562, section 5.5): drawn once. */
const namespace = Buffer.from("6b1f2c0e5a834d0f9c7be1a2d4f85630", "hex");

/**
 * The feed; a feed whose changes are not those of the release that answers is kept for seconds only. Without SITE_URL, links are
 * paths, because caches share a feed among all hosts.
 */
export async function answerFeed(asked: Asked, request: FeedRequest): Promise<Reply> {
  const { exchange, release, admit } = asked;
  const { changes, siteUrl } = asked.context;
  if (!hasTopic(release, request)) return refuseScope(asked, request);
  const chain = (await changes.read())?.chain;
  const { filters, format } = request;
  const found = await release.search.query(
    addedKey(filters),
    (read) => findAdded(read, readSteps(chain, changes), filters, feedEntriesMax),
    admit(),
  );
  const read = await release.records.readLinesInTurns(found.map(({ position }) => position));
  const lines = read.toString().split(lineEnd);
  const page = pageOf(request);
  const feed: Feed = {
    id: nameUuid(feedHref({ ...request, format: "atom" })),
    title: titleOf(page, release),
    url: siteUrl + feedHref(request),
    page: siteUrl + page,
    madeAt: release.facts.synced_at,
    entries: found.map(({ file }, index) => toEntry(lines[index] ?? "", file, release, siteUrl)),
  };
  const isOfRelease = chain === undefined || chain.current === release.facts.release;
  return prepareContent(
    exchange,
    { type: feedTypes[format], body: Buffer.from(formatFeed(feed, format)) },
    {
      answeredBy: "search",
      ...(!isOfRelease && { isUntilSync: false, headers: { "Cache-Control": cacheBriefly } }),
    },
  );
}

/** The changes that added grants, from the current release back to the first changes that cannot be read, newest first. */
async function* readSteps(chain: ChangesIndex | undefined, changes: ChangesFolder): AsyncGenerator<Step> {
  let sought = chain?.current;
  let count = 0;
  for (const { from, to, at, files, added } of chain?.entries.toReversed() ?? []) {
    if (to !== sought || from === null || files.length === 0 || count === feedFilesMax) return;
    sought = from;
    if (added === null || added === 0) continue;
    const path = changes.pathOf(changesName({ from, to }, "parquet"));
    if (!(await isThere(path))) return;
    count += 1;
    yield { path, at, added };
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return false;
  }
}

/** The address of the site's page that shows what the feed is about. */
function pageOf({ filters }: FeedRequest): string {
  const { funderEin, recipientEin, ...others } = filters;
  const isAlone = Object.keys(others).length === 0;
  if (isAlone && recipientEin === undefined && funderEin !== undefined) return `/funder?ein=${funderEin}`;
  if (isAlone && funderEin === undefined && recipientEin !== undefined)
    return `/recipient?ein=${recipientEin}`;
  return `/${formatQuery({ filters, scope: "search" })}`;
}

function titleOf(page: string, { organizations }: Release): string {
  const { pathname, search } = new URL(page, "http://localhost");
  const facts = { nameOf: (ein: Ein) => organizations.findName(ein), countOf: () => undefined };
  const title = describePage(pathname, search, facts)?.title ?? "Grants";
  return `${title}, newly added`;
}

/** @param line the record's JSON */
function toEntry(line: string, step: Step, { organizations }: Release, siteUrl: string): FeedEntry {
  const record = JSON.parse(line) as GrantRecord;
  const { funder_ein, recipient_name, recipient_ein, transaction_year, non_cash_amount, purpose } = record;
  const [, id = ""] = /^\{"id":(-?\d+)/.exec(line) ?? []; // a number would lose digits
  const nameOf = (ein: string) => organizations.findName(ein as Ein) ?? `EIN ${hyphenateEin(ein)}`;
  return {
    id: nameUuid(`grant ${id}`),
    page: `${siteUrl}/funder?ein=${funder_ein}`,
    at: step.at,
    funder: nameOf(funder_ein),
    recipient: recipient_name ?? (recipient_ein === null ? "an unnamed recipient" : nameOf(recipient_ein)),
    year: transaction_year,
    cents: readCents(line),
    purpose,
    nonCashCents: non_cash_amount === null ? null : readCents(line, "non_cash_amount"),
  };
}

/** The URI of a name: a UUID of version 5. */
function nameUuid(name: string): string {
  const hash = createHash("sha1").update(namespace).update(name).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return `urn:uuid:${hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
}
