// Formats text and amounts for feeds.
import { formatCents } from "./amount.ts";

/** Characters that XML 1.0 forbids, apart from half surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const forbidden = /[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g;

/** The text, with U+FFFD for characters that XML 1.0 forbids and for half surrogates. */
export function printable(text: string): string {
  return text.toWellFormed().replace(forbidden, "\uFFFD");
}

/** Printable text in an element or an attribute. Line ends and tabs are escaped, because parsers normalize them. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  trailingZeroDisplay: "stripIfInteger",
});

/** e.g., "$25,000", "-$0.50", exact however large */
export function formatDollars(cents: bigint): string {
  return dollars.format(formatCents(cents) as `${number}`);
}
