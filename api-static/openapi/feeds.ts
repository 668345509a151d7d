// Describes the media types of feeds for the OpenAPI document.
import { feedEntriesMax } from "../contract/limits.ts";
import type { Schema } from "../contract/schema.ts";
import type { MediaType } from "./answers.ts";

const text = { type: "string" };

const entry: Schema = {
  type: "object",
  required: ["id", "url", "title", "content_text", "date_published"],
  properties: { id: text, url: text, title: text, content_text: text, date_published: text },
};

const feed: Schema = {
  type: "object",
  required: ["version", "title", "home_page_url", "feed_url", "authors", "items"],
  properties: {
    version: text,
    title: text,
    home_page_url: text,
    feed_url: text,
    authors: { type: "array", items: { type: "object", properties: { name: text } } },
    items: { type: "array", maxItems: feedEntriesMax, items: entry },
  },
};

/** A feed as Atom. */
export function atom(example: string): MediaType {
  return { type: "application/atom+xml", schema: text, example };
}

/** A feed as JSON Feed. */
export function jsonFeed(example: unknown): MediaType {
  return { type: "application/feed+json", schema: feed, example };
}
