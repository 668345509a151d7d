// Walks the elements of well-formed, plain XML: the fast path for nearly every return.
import type { ElementRule } from "./elements.ts";

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

/** How a walk ended. `unusual`: the complete parser must read the document. */
export type WalkEnd = "complete" | "cut off" | "unusual";

const less = 60;
const greater = 62;
const slash = 47;
const quote = 34;
const apostrophe = 39;
const space = 32;

/**
 * Walks the one element with which `xml` starts, up to its end tag. `xml` must be UTF-8, without comments, CDATA, processing
 * instructions or namespace prefixes. It is read byte by byte, because that takes half of the time of reading a string.
 * @param values decodes the values of `xml`
 */
export function walkElement(xml: Uint8Array, handler: ElementHandler, values: Values): WalkEnd {
  let depth = 0;
  let at = find(xml, less, 0);
  while (at >= 0) {
    const start = at + 1;
    if (xml[start] === slash) {
      const end = find(xml, greater, start + 1);
      if (end < 0) return "cut off";
      depth -= 1;
      if (depth < 0) return "unusual";
      handler.close();
      if (depth === 0) return "complete";
      at = find(xml, less, end + 1);
      continue;
    }
    const nameEnd = findNameEnd(xml, start);
    const end = xml[nameEnd] === greater ? nameEnd : findTagEnd(xml, nameEnd);
    if (end < 0) return "cut off";
    const rule = handler.find(xml, start, nameEnd);
    if (xml[end - 1] === slash) {
      if (rule !== undefined) handler.leaf(rule, values, end, end);
      if (depth === 0) return "complete";
      at = find(xml, less, end + 1);
      continue;
    }
    at = find(xml, less, end + 1);
    if (at < 0 || xml[at + 1] !== slash) {
      depth += 1;
      handler.open(rule);
      continue;
    }
    const after = findEndTag(xml, { start, end: nameEnd }, at + 2);
    if (after === undefined) return "unusual";
    if (after < 0) return "cut off"; // the value before it may be incomplete
    if (rule !== undefined) handler.leaf(rule, values, end + 1, at);
    if (depth === 0) return "complete";
    at = find(xml, less, after + 1);
  }
  return "cut off";
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
