// Decodes the text of XML: bytes to characters, and references to their values.
import { isUtf8 } from "node:buffer";
import { UnreadableReturn, type Values } from "./walk.ts";

/** Oddities of a return that are counted, because its filer or a program in between broke a rule of XML. */
export const oddities = [
  "bare ampersand",
  "control character",
  "cut off",
  "not UTF-8",
  "unreadable amount",
  "unreadable date",
  "text too long",
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

/** Ampersands that are escaped in one document: each takes about 80 bytes of memory. */
const maxEscaped = 1_000_000;

/** Where a document has an ampersand, or starts a part in which ampersands stay. */
const special = /<!--|<!\[CDATA\[|&(?:#(\d{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][\w.-]*);)?/g;

/**
 * Escapes the ampersands of a document that no XML parser may interpret: bare ones, and entities that a DTD defines.
 * Comments and CDATA stay as they are. Each character is looked at once or twice, whatever the document has.
 */
export function escapeAmpersands(document: string, note: (oddity: Oddity) => void): string {
  const escapedParts: string[] = [];
  let done = 0;
  const pattern = new RegExp(special);
  for (let found = pattern.exec(document); found !== null; found = pattern.exec(document)) {
    const [text, decimal, hexadecimal, name] = found;
    if (text[0] === "<") {
      const end = document.indexOf(text === "<!--" ? "-->" : "]]>", pattern.lastIndex);
      if (end < 0) break;
      pattern.lastIndex = end;
    } else if (!isReference(decimal, hexadecimal, name)) {
      if (text === "&") note("bare ampersand");
      escapedParts.push(document.slice(done, found.index), "&amp;");
      if (escapedParts.length > 2 * maxEscaped)
        throw new UnreadableReturn(`it has more than ${maxEscaped} ampersands that are no references`);
      done = found.index + 1;
    }
  }
  return escapedParts.length === 0 ? document : escapedParts.join("") + document.slice(done);
}

/** True for a reference to a character, or to an entity of XML itself. */
function isReference(decimal?: string, hexadecimal?: string, name?: string): boolean {
  if (name !== undefined) return name in predefined;
  if (decimal !== undefined) return isCharacter(Number(decimal));
  return hexadecimal !== undefined && isCharacter(Number.parseInt(hexadecimal, 16));
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const windows1252 = new TextDecoder("windows-1252");

/** Broken parts of one text: each takes about 100 bytes of memory. */
const maxBroken = 1_000_000;

/**
 * Text of UTF-8, of which each part that is not UTF-8 is read as Windows-1252, as most such parts are.
 * @param separator starts each part
 * @param onBroken called for each broken part
 */
export function repairUtf8(bytes: Buffer, separator: string, onBroken: () => void): string {
  let broken = 0;
  const decode = (part: Buffer): string => {
    if (isUtf8(part)) return utf8.decode(part);
    const middle = part.length >> 1;
    const after = part.indexOf(separator, middle);
    const cut = after > 0 ? after : part.lastIndexOf(separator, middle);
    if (cut > 0) return decode(part.subarray(0, cut)) + decode(part.subarray(cut));
    broken += 1;
    if (broken > maxBroken)
      throw new UnreadableReturn(`it has more than ${maxBroken} values that are not UTF-8`);
    onBroken();
    return windows1252.decode(part);
  };
  return decode(bytes);
}

/** The longest field of a return may have 9,000 characters. A longer text than this is a mistake, or hostile. */
const maxCharacters = 100_000;
/** Of a text in UTF-8. */
const maxBytes = 4 * maxCharacters;

/** The text, or nothing if it is too long. */
export function limitText(text: string, note: (oddity: Oddity) => void): string {
  return text.length <= maxCharacters ? text : dropText(note);
}

function dropText(note: (oddity: Oddity) => void): string {
  note("text too long");
  return "";
}

const [ampersand, space, delete_] = [38, 32, 127];

/**
 * Decodes values where they stand in XML. Values of printable ASCII, as nearly all are, are cut from one string.
 */
export class ValueDecoder implements Values {
  readonly #xml: Buffer;
  readonly #latin1: string;
  readonly #note: (oddity: Oddity) => void;

  /** @param note receives the oddities of a value */
  constructor(xml: Buffer, note: (oddity: Oddity) => void) {
    this.#xml = xml;
    this.#latin1 = xml.toString("latin1");
    this.#note = note;
  }

  decode(start: number, end: number): string {
    if (end - start > maxBytes) return dropText(this.#note);
    if (this.#isPlain(start, end)) return limitText(this.#latin1.slice(start, end), this.#note);
    const text = repairUtf8(this.#xml.subarray(start, end), "<", () => this.#note("not UTF-8"));
    return limitText(decodeText(text, this.#note).trim(), this.#note);
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
