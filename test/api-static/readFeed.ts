// Reads feeds as strictly as their standards are: Atom (RFC 4287) with an XML parser, and JSON Feed 1.1.
import { SaxesParser } from "saxes";

/** What both formats tell of an entry. */
export type ReadEntry = Record<"id" | "page" | "at" | "title" | "summary", string>;

export type ReadFeed = { title: string; url: string; page: string; updated?: string; entries: ReadEntry[] };

type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] };

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const uuid = /^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** @throws Error if the text is no well-formed XML, or lacks what Atom requires */
export function readAtom(text: string): ReadFeed {
  const feed = parseXml(text);
  require(feed.name === "feed" && feed.attributes.xmlns === "http://www.w3.org/2005/Atom", "a feed of Atom");
  const entries = feed.children.filter(({ name }) => name === "entry").map(readAtomEntry);
  const [updated, author] = [only(feed, "updated"), only(feed, "author")];
  require(timestamp.test(updated.text), "a time");
  require(uuid.test(only(feed, "id").text), "an id");
  require(only(author, "name").text !== "", "an author");
  require(new Set(entries.map(({ id }) => id)).size === entries.length, "an id for each entry");
  const title = only(feed, "title").text;
  return { title, url: link(feed, "self"), page: link(feed, "alternate"), updated: updated.text, entries };
}

function readAtomEntry(entry: Element): ReadEntry {
  const [id, at] = [only(entry, "id").text, only(entry, "updated").text];
  require(uuid.test(id) && timestamp.test(at), "an id and a time");
  const [title, summary] = [only(entry, "title").text, only(entry, "summary").text];
  return { id, page: link(entry, "alternate"), at, title, summary };
}

/** @throws Error if the text lacks what JSON Feed requires */
export function readJsonFeed(text: string): ReadFeed {
  const feed = JSON.parse(text);
  require(feed.version === "https://jsonfeed.org/version/1.1", "a version");
  const entries = feed.items.map((item: Record<string, string>) => {
    const { id, url: page, date_published: at, title, content_text: summary } = item;
    require(uuid.test(String(id)) && typeof summary === "string" && timestamp.test(String(at)), "an item");
    return { id, page, at, title, summary };
  });
  return { title: feed.title, url: feed.feed_url, page: feed.home_page_url, entries };
}

function parseXml(text: string): Element {
  const root: Element = { name: "", attributes: {}, text: "", children: [] };
  const open = [root];
  const parser = new SaxesParser({ xmlns: false });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element: Element = { name, attributes: { ...attributes }, text: "", children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.on("closetag", () => open.pop());
  parser.write(text).close();
  return only(root, "feed");
}

function only({ children }: Element, name: string): Element {
  const [element, ...more] = children.filter((child) => child.name === name);
  if (element === undefined || more.length > 0) throw new Error(`not one ${name}`);
  return element;
}

function link({ children }: Element, relation: string): string {
  const links = children.filter(({ name, attributes }) => name === "link" && attributes.rel === relation);
  require(links.length === 1, `one link ${relation}`);
  return String(links[0]?.attributes.href);
}

function require(condition: boolean, what: string): void {
  if (!condition) throw new Error(`the feed lacks ${what}`);
}
