// Describes the responses with feeds for the OpenAPI document.
import { type Ein, hyphenateEin } from "../contract/ein.ts";
import { type Feed, type FeedFormat, type FeedRequest, formatFeed } from "../contract/feeds.ts";
import { feedEntriesMax } from "../contract/limits.ts";
import { feedHref } from "../contract/pageKeys.ts";
import type { Schema } from "../contract/schema.ts";
import { type Answers, found } from "./answers.ts";
import { exampleGrants, organization } from "./examples.ts";

const origin = "https://grants.example.org";

/** The feed of all grants, or of one funder's. */
function feedOf(scope: FeedRequest["scope"], format: FeedFormat): Feed {
  const { ein, name } = organization;
  const [filters, page] = scope === "funder" ? [{ funderEin: ein as Ein }, `/funder?ein=${ein}`] : [{}, "/"];
  return {
    id: `urn:uuid:4d4d1c1e-7b77-5c2e-9b0b-0f4a3a2a9a1${scope === "search" ? 0 : 1}`,
    title: scope === "search" ? "Grants, newly added" : `${name}: grants made, newly added`,
    url: origin + feedHref({ kind: "feed", scope, format, filters }),
    page: origin + page,
    madeAt: "2026-11-20T04:00:00Z",
    entries: exampleGrants
      .filter(({ funder_ein }) => scope === "search" || funder_ein === ein)
      .map((grant) => ({
        id: `urn:uuid:1f1d9a51-2b4c-5d52-8f0e-6a5c3c1${String(grant.id).padStart(5, "0")}`,
        page: `${origin}/funder?ein=${grant.funder_ein}`,
        at: "2026-11-20T04:12:09Z",
        funder: grant.funder_ein === ein ? name : `EIN ${hyphenateEin(grant.funder_ein)}`,
        ...{ recipient: grant.recipient_name ?? "", year: grant.transaction_year, purpose: grant.purpose },
        ...{ cents: centsOf(grant.amount), nonCashCents: centsOf(grant.non_cash_amount ?? 0) },
      })),
  };
}

const centsOf = (amount: number) => BigInt(Math.round(amount * 100));

const text = { type: "string" };

const entry: Schema = {
  type: "object",
  required: ["id", "url", "title", "content_text", "date_published"],
  properties: { id: text, url: text, title: text, content_text: text, date_published: text },
};

const jsonSchema: Schema = {
  type: "object",
  required: ["version", "title", "home_page_url", "feed_url", "authors", "items"],
  properties: {
    ...{ version: text, title: text, home_page_url: text, feed_url: text },
    authors: { type: "array", items: { type: "object", properties: { name: text } } },
    items: { type: "array", maxItems: feedEntriesMax, items: entry },
  },
};

/** The responses with a feed of a scope in a format. */
export function feedAnswers(scope: FeedRequest["scope"], format: FeedFormat): Answers {
  const example = formatFeed(feedOf(scope, format), format);
  return format === "atom"
    ? found("The feed.", { type: "application/atom+xml", schema: text, example })
    : found("The feed.", { type: "application/feed+json", schema: jsonSchema, example: JSON.parse(example) });
}
