// Reads the elements of a return's document, whatever its encoding and form.
import { type Collected, Collector } from "./collector.ts";
import { parseDocument } from "./parse.ts";
import { type Oddity, repairUtf8, ValueDecoder } from "./text.ts";
import { UnreadableReturn, walkElement } from "./walk.ts";

/** Bytes that the complete parser reads: it takes several times the memory. The largest return known has 51 MB. */
const maxParsedBytes = 64 << 20;

/**
 * The values and rows of a document: walked if it is plain, as nearly all are, or else parsed completely.
 * @param found receives the oddities of the document
 * @throws UnreadableReturn if it exceeds a limit
 * @throws IdRangeError if it has more rows of grants than ids
 */
export function collectDocument(xml: Buffer, found: Set<Oddity>): Collected {
  const note = (oddity: Oddity) => void found.add(oddity);
  const quick = new Collector();
  if (walk(xml, quick, note)) return quick.collected;
  found.clear();
  if (xml.length > maxParsedBytes)
    throw new UnreadableReturn(
      `it is unusual XML of ${xml.length} bytes; the limit for such XML is ${maxParsedBytes}`,
    );
  const complete = new Collector();
  parseDocument(decodeDocument(xml, note), complete, note);
  return complete.collected;
}

/** Walks a plain document. Returns false if it is unusual in any way; then discard `collector`. */
function walk(xml: Buffer, collector: Collector, note: (oddity: Oddity) => void): boolean {
  const root = findPlainRoot(xml);
  if (root === undefined) return false;
  const document = xml.subarray(root);
  const end = walkElement(document, collector, new ValueDecoder(document, note));
  // A document that has its last tag, but was not walked to it, has tags that do not match.
  if (end === "unusual" || (end === "cut off" && endsWithReturn(xml))) return false;
  if (end === "cut off") note("cut off");
  return true;
}

/** The root of a return must start within this many bytes. */
const prologBytes = 1_024;

/** The position of the root, if the document is UTF-8, and the namespace of returns is its only one and has no prefix. */
function findPlainRoot(xml: Buffer): number | undefined {
  const prolog = xml.toString("latin1", 0, prologBytes);
  const [declaration] = /^(?:\xEF\xBB\xBF)?\s*(?:<\?xml[^>]*\?>)?\s*/.exec(prolog) ?? [""];
  const [, , encoding = "utf-8"] = /\sencoding\s*=\s*(["'])([\w.-]+)\1/.exec(declaration) ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(encoding)) return undefined;
  const root = declaration.length;
  const [tag] = /^<Return(?=[\s>])(?:[^>"']|"[^"]*"|'[^']*')*>/.exec(prolog.slice(root)) ?? [];
  if (tag === undefined) return undefined;
  if (/\sxmlns:[\w.-]+\s*=\s*(["'])http:\/\/www\.irs\.gov\/efile\1/.test(tag)) return undefined;
  const [, , namespace = "http://www.irs.gov/efile"] = /\sxmlns\s*=\s*(["'])(.*?)\1/.exec(tag) ?? [];
  if (namespace !== "http://www.irs.gov/efile") return undefined;
  return xml.includes("xmlns", root + tag.length, "latin1") ? undefined : root;
}

function endsWithReturn(xml: Buffer): boolean {
  return /<\/Return\s*>\s*$/.test(xml.toString("latin1", Math.max(0, xml.length - 100), xml.length));
}

/**
 * The text of a document. Its bytes decide, then its label: a document with more characters that show UTF-8 than broken
 * ones is UTF-8. Of that, only values that are broken are read as Windows-1252.
 */
function decodeDocument(xml: Buffer, note: (oddity: Oddity) => void): string {
  const label = findEncoding(xml);
  if (label !== undefined && (label.startsWith("utf-16") || !looksLikeUtf8(xml))) {
    const text = new TextDecoder(label).decode(xml);
    if (text.includes("\uFFFD")) note("not UTF-8");
    return text;
  }
  return repairUtf8(xml, "<", () => note("not UTF-8")).replace(/^\uFEFF/, "");
}

/**
 * Characters that show UTF-8: accented letters and typography of Latin script, and pairs of others. Bytes of Windows-1252 are such
 * only in "Ã©" and the like; one other character may be by chance.
 */
const telling = /[\x80-\u017F\u2000-\u22FF]|[\u0180-\u1FFF\u2300-\uFFFC\u{10000}-\u{10FFFF}]{2}/gu;

function looksLikeUtf8(xml: Buffer): boolean {
  const text = xml.toString("utf8");
  return count(text, telling) > count(text, /\uFFFD/g);
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1; // a list of all may not fit into memory
  return found;
}

/** The encoding that the first bytes show or the document declares; undefined for UTF-8 and for unknown labels. */
function findEncoding(xml: Buffer): string | undefined {
  if (xml[0] === 0xff && xml[1] === 0xfe) return "utf-16le";
  if (xml[0] === 0xfe && xml[1] === 0xff) return "utf-16be";
  if (xml[0] === 0x3c && xml[1] === 0) return "utf-16le";
  if (xml[0] === 0 && xml[1] === 0x3c) return "utf-16be";
  const [, , label = "utf-8"] = /encoding\s*=\s*(["'])([\w.-]+)\1/.exec(xml.toString("latin1", 0, 200)) ?? [];
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith("utf-") ? undefined : encoding; // the declaration is readable as ASCII, so it is not UTF-16
  } catch {
    return undefined;
  }
}

/** Bytes of a file in which its root, and what it is, can be seen. */
export const startBytes = 2_000;

/** The version of the schema, e.g., "2021v4.2"; null if the root names none. */
export function findVersion(xml: Buffer): string | null {
  const start = xml.toString("latin1", 0, startBytes).replaceAll("\0", "");
  return /\sreturnVersion\s*=\s*["']([^"']{1,20})["']/.exec(start)?.[1] ?? null;
}

/** True if the start of a file has the root of a return. */
export function hasReturn(start: string): boolean {
  return /<([\w.-]+:)?Return[\s>]/.test(start.replaceAll("\0", ""));
}

/** What a file is, by its start, if that is no return; undefined if it is unknown. */
export function describeOther(start: string): string | undefined {
  if (start.trim() === "") return "empty";
  if (start.startsWith("\x1f\x8b")) return "compressed by gzip";
  const [, root] = /<([A-Za-z][\w:.-]*)/.exec(start.replaceAll("\0", "")) ?? [];
  if (root === undefined || hasReturn(start)) return undefined;
  return /^html$/i.test(root) ? "a web page" : `XML of another kind (<${root}>)`;
}
