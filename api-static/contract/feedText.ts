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

/** e.g., "$25,000", "-$0.50" */
export function formatDollars(cents: bigint): string {
  const [whole = "", fraction] = formatCents(cents < 0n ? -cents : cents).split(".");
  const grouped = BigInt(whole).toLocaleString("en-US");
  return `${cents < 0n ? "-" : ""}$${grouped}${fraction === "00" ? "" : `.${fraction}`}`;
}
