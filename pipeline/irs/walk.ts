// Walks the elements of well-formed, plain XML: the fast path for nearly every return.
import type { ElementRule } from "./elementRule.ts";

/** The values of a document, by where they stand in it. */
export type Values = {
  /** The value at `[start, end)`, with references decoded and without white space around it. */
  decode(start: number, end: number): string;
};

/** Receives the elements of a document in order. Text beside child elements is omitted. */
export type ElementHandler = {
  /** The meaning of a child of the last opened element, by its name at `xml[start, end)`. */
  find(xml: Uint8Array, start: number, end: number): ElementRule | undefined;
  /** An element with elements below it, or one that is cut off. */
  open(rule: ElementRule | undefined): void;
  /** An element with a meaning and without elements below it. Its value is at `[start, end)` of `values`. */
  leaf(rule: ElementRule, values: Values, start: number, end: number): void;
  /** The end of the element that was opened last. */
  close(): void;
};

/** A file has no readable return; the message is the reason. */
export class UnreadableReturn extends Error {}

/** Elements within one another; returns have at most twelve. */
export const maxDepth = 100;

/** @throws UnreadableReturn for an element that lies too deep */
export function checkDepth(depth: number): void {
  if (depth > maxDepth) throw new UnreadableReturn(`its elements lie deeper than ${maxDepth} levels`);
}

/** How a walk ended. `unusual`: the complete parser must read the document. */
export type WalkEnd = "complete" | "cut off" | "unusual";

const less = 60;
const greater = 62;
const slash = 47;
const quote = 34;
const apostrophe = 39;
const space = 32;
const exclamation = 33;
const question = 63;

/**
 * Walks the one element with which `xml` starts, up to its end tag, after which nothing but white space may stand. It is read byte by
 * byte, because that takes half of the time of reading a string. `xml` must be UTF-8 without namespace prefixes; comments, CDATA,
 * processing instructions and tags that do not match are unusual.
 * @param values decodes the values of `xml`
 * @throws UnreadableReturn for an element that lies too deep
 */
export function walkElement(xml: Uint8Array, handler: ElementHandler, values: Values): WalkEnd {
  let depth = 0;
  let at = find(xml, less, 0);
  while (at >= 0) {
    const start = at + 1;
    const byte = xml[start];
    if (byte === slash) {
      const end = find(xml, greater, start + 1);
      if (end < 0) return "cut off";
      depth -= 1;
      if (depth < 0) return "unusual";
      handler.close();
      if (depth === 0) return endDocument(xml, end + 1);
      at = find(xml, less, end + 1);
      continue;
    }
    if (isMarkup(byte)) return "unusual";
    const nameEnd = findNameEnd(xml, start);
    const end = xml[nameEnd] === greater ? nameEnd : findTagEnd(xml, nameEnd);
    if (end < 0) return "cut off";
    const rule = handler.find(xml, start, nameEnd);
    if (xml[end - 1] === slash) {
      if (rule !== undefined) handler.leaf(rule, values, end, end);
      if (depth === 0) return endDocument(xml, end + 1);
      at = find(xml, less, end + 1);
      continue;
    }
    at = find(xml, less, end + 1);
    if (at < 0 || xml[at + 1] !== slash) {
      if (rule !== undefined) {
        depth += 1;
        checkDepth(depth);
        handler.open(rule);
        continue;
      }
      const after = findElementEnd(xml, at);
      if (after === undefined) return "unusual";
      if (after < 0) return "cut off";
      if (depth === 0) return endDocument(xml, after + 1);
      at = find(xml, less, after + 1);
      continue;
    }
    const likelyEnd = at + 2 + nameEnd - start;
    const isLikely = rule === undefined && xml[likelyEnd] === greater; // of the same length: enough without a value
    const after = isLikely ? likelyEnd : findEndTag(xml, { start, end: nameEnd }, at + 2);
    if (after === undefined) return "unusual";
    if (after < 0) return "cut off"; // the value before it may be incomplete
    if (rule !== undefined) handler.leaf(rule, values, end + 1, at);
    if (depth === 0) return endDocument(xml, after + 1);
    at = find(xml, less, after + 1);
  }
  return "cut off";
}

/** True if a comment, CDATA, a DOCTYPE or a processing instruction starts with this byte after `<`. */
function isMarkup(byte: number | undefined): boolean {
  return byte === exclamation || byte === question;
}

/**
 * The position of the `>` with which an element without a meaning ends; -1 if it is cut off. Most of a return is in such elements, so
 * neither their names nor those of the elements below are looked at.
 * @param start of the first tag below the element; -1 if there is none
 * @returns undefined if something below it is unusual
 */
function findElementEnd(xml: Uint8Array, start: number): number | undefined {
  let depth = 1;
  for (let at = start; at >= 0; at = find(xml, less, at + 1)) {
    const byte = xml[at + 1];
    if (isMarkup(byte)) return undefined;
    const isEnd = byte === slash;
    at = isEnd ? find(xml, greater, at + 2) : findTagEnd(xml, at + 1);
    if (at < 0) return -1;
    if (isEnd) depth -= 1;
    else if (xml[at - 1] !== slash) depth += 1;
    if (depth === 0) return at;
  }
  return -1;
}

function endDocument(xml: Uint8Array, start: number): WalkEnd {
  for (let at = start; at < xml.length; at += 1) if (!isSpace(xml[at])) return "unusual";
  return "complete";
}

/** The next position of a byte; -1 if there is none. It is mostly near: a loop takes less time than a call of `indexOf`. */
function find(xml: Uint8Array, byte: number, start: number): number {
  const { length } = xml; // reading it in each turn takes time
  for (let at = start; at < length; at += 1) if (xml[at] === byte) return at;
  return -1;
}

/**
 * The position of the `>` of an end tag whose name starts at `start`; -1 if it is cut off.
 * @param name the name that it must have
 * @returns undefined if it has another one
 */
function findEndTag(
  xml: Uint8Array,
  name: { readonly start: number; readonly end: number },
  start: number,
): number | undefined {
  let at = start;
  for (let other = name.start; other < name.end; other += 1, at += 1)
    if (xml[at] !== xml[other]) return undefined;
  while (isSpace(xml[at])) at += 1;
  if (xml[at] === greater) return at;
  return at < xml.length ? undefined : -1;
}

/** True for the white space of XML. */
function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === 10 || byte === 13 || byte === 9;
}

/** The position of the `>` that ends a tag: one within a quoted value does not. */
function findTagEnd(xml: Uint8Array, start: number): number {
  let quoted = 0;
  for (let at = start; at < xml.length; at += 1) {
    const byte = xml[at];
    if (quoted !== 0) {
      if (byte === quoted) quoted = 0;
    } else if (byte === greater) return at;
    else if (byte === quote || byte === apostrophe) quoted = byte;
  }
  return -1;
}

/** The position after an element's name: white space, `/` or `>`. */
function findNameEnd(xml: Uint8Array, start: number): number {
  const { length } = xml;
  for (let at = start; at < length; at += 1) {
    const byte = xml[at] ?? 0;
    if (byte <= space || byte === slash || byte === greater) return at;
  }
  return length;
}
