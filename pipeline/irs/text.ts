// Decodes the text of XML: bytes to characters, and references to what they stand for.
import { isAscii, isUtf8 } from "node:buffer";

/** Oddities of a return that are counted, because its filer or a program in between broke a rule of XML. */
export const oddities = [
  "bare ampersand",
  "control character",
  "cut off",
  "not UTF-8",
  "unreadable amount",
  "no time of filing",
] as const;

export type Oddity = (typeof oddities)[number];

const predefined: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const reference = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][\w.-]*));|&/g;

/** C0 controls that XML does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
export const controlCharacter = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/;

/**
 * Text as its filer entered it. The five entities of XML and numeric references are decoded; anything else that starts with
 * an ampersand stays as it is, and so do entities that a DTD defines.
 * @param note receives what is odd about the text
 */
export function decodeText(raw: string, note: (oddity: Oddity) => void): string {
  const lines = raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
  if (controlCharacter.test(lines)) note("control character");
  if (!lines.includes("&")) return lines;
  return lines.replace(reference, (text, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return predefined[name] ?? text;
    if (decimal === undefined && hexadecimal === undefined) {
      note("bare ampersand");
      return text;
    }
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return isCharacter(code) ? String.fromCodePoint(code) : text;
  });
}

/**
 * The value at `text[start, end)` of a document, without white space around it.
 * @param note receives what is odd about it
 */
export function decodeValue(
  text: string,
  start: number,
  end: number,
  note: (oddity: Oddity) => void,
): string {
  const value = text.slice(start, end);
  return isPlain(text, start, end) ? value : decodeText(value, note).trim();
}

const [ampersand, space, delete_] = [38, 32, 127];

/** True for printable ASCII without references and without spaces around it, as nearly all values are. */
function isPlain(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < space || code >= delete_ || code === ampersand) return false;
  }
  return start === end || (text.charCodeAt(start) !== space && text.charCodeAt(end - 1) !== space);
}

function isCharacter(code: number): boolean {
  return code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
}

/**
 * Escapes the ampersands of a document that no XML parser may interpret: bare ones, and entities that a DTD defines.
 * Comments and CDATA stay as they are.
 */
export function escapeAmpersands(document: string, note: (oddity: Oddity) => void): string {
  const pattern =
    /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|&(?:#(\d{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][\w.-]*);)?/g;
  return document.replace(pattern, (text, decimal?: string, hexadecimal?: string, name?: string) => {
    if (text[0] !== "&") return text;
    if (name !== undefined) return name in predefined ? text : `&amp;${text.slice(1)}`;
    if (decimal !== undefined || hexadecimal !== undefined) {
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
      return isCharacter(code) ? text : `&amp;${text.slice(1)}`;
    }
    note("bare ampersand");
    return "&amp;";
  });
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const windows1252 = new TextDecoder("windows-1252");

/**
 * Text of bytes that should be UTF-8. If they are not, they are read as Windows-1252, which most such files are.
 * @param note receives that they are not
 */
export function decodeUtf8(bytes: Buffer, note: (oddity: Oddity) => void): string {
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (isUtf8(bytes)) return utf8.decode(bytes);
  note("not UTF-8");
  return windows1252.decode(bytes);
}
