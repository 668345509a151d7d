// Decodes the text of XML: bytes to characters, and references to their values.
import { isUtf8 } from "node:buffer";
import type { Values } from "./walk.ts";

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
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for these
export const controlCharacter = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/;

/**
 * Text as its filer entered it. The five entities of XML and numeric references are decoded; anything else that starts with
 * an ampersand stays as it is, and so do entities that a DTD defines.
 * @param note receives the oddities of the text
 */
function decodeText(raw: string, note: (oddity: Oddity) => void): string {
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
 * Text of bytes that should be UTF-8. If they are not, they are read as Windows-1252, as most such files are, and encoded
 * again.
 * @param note receives that they are not
 */
export function asUtf8(bytes: Buffer, note: (oddity: Oddity) => void): Buffer {
  if (isUtf8(bytes)) return bytes;
  note("not UTF-8");
  return Buffer.from(windows1252.decode(bytes));
}

const [ampersand, space, delete_] = [38, 32, 127];

/** Decodes values where they stand in XML. Values of printable ASCII, as nearly all are, are cut from one string. */
export class ValueDecoder implements Values {
  readonly #xml: Buffer;
  readonly #latin1: string;
  readonly #note: (oddity: Oddity) => void;

  /**
   * @param xml in UTF-8
   * @param note receives the oddities of a value
   */
  constructor(xml: Buffer, note: (oddity: Oddity) => void) {
    this.#xml = xml;
    this.#latin1 = xml.toString("latin1");
    this.#note = note;
  }

  decode(start: number, end: number): string {
    if (this.#isPlain(start, end)) return this.#latin1.slice(start, end);
    return decodeText(utf8.decode(this.#xml.subarray(start, end)), this.#note).trim();
  }

  /** True for printable ASCII without references and without spaces around it. */
  #isPlain(start: number, end: number): boolean {
    const xml = this.#xml;
    for (let at = start; at < end; at += 1) {
      const byte = xml[at] ?? 0;
      if (byte < space || byte >= delete_ || byte === ampersand) return false;
    }
    return start === end || (xml[start] !== space && xml[end - 1] !== space);
  }
}
