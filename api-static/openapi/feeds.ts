// Describes the responses with feeds for the OpenAPI document.
import { type Feed, type FeedFormat, formatFeed } from "../contract/feeds.ts";
import { feedEntriesMax } from "../contract/limits.ts";
import type { Schema } from "../contract/schema.ts";
import { type Answers, found } from "./answers.ts";

const feed: Feed = {
  id: "urn:uuid:4d4d1c1e-7b77-5c2e-9b0b-0f4a3a2a9a11",
  title: "RIVERSIDE FUND: grants made, newly added",
  url: "https://grants.example.org/v1/funders/131635294/history.atom",
  page: "https://grants.example.org/funder?ein=131635294",
  madeAt: "2026-11-20T04:00:00Z",
  entries: [
    {
      id: "urn:uuid:1f1d9a51-2b4c-5d52-8f0e-6a5c3c1f7e02",
      page: "https://grants.example.org/funder?ein=131635294",
      at: "2026-11-20T04:12:09Z",
      ...{ funder: "RIVERSIDE FUND", recipient: "Harbor Street Food Bank", year: 2023 },
      ...{ cents: 2_500_000n, nonCashCents: null, purpose: "FOOD ASSISTANCE PROGRAM" },
    },
  ],
};

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

/** The responses with a feed in a format. */
export function feedAnswers(format: FeedFormat): Answers {
  const example = formatFeed(feed, format);
  return format === "atom"
    ? found("The feed.", { type: "application/atom+xml", schema: text, example })
    : found("The feed.", { type: "application/feed+json", schema: jsonSchema, example: JSON.parse(example) });
}
