// Walks the elements of well-formed, plain XML: the fast path for nearly every return.
import type { ElementRule } from "./elements.ts";

/** Receives the elements of a document in order. Text beside child elements is omitted. */
export type ElementHandler = {
  /** What an element below the one that was opened last means, by its name at `text[start, end)`. */
  find(text: string, start: number, end: number): ElementRule | undefined;
  /** An element with elements below it, or one that is cut off. */
  open(rule: ElementRule | undefined): void;
  /** An element that means something, without elements below it. Its value is `text[start, end)`, as it stands in the document. */
  leaf(rule: ElementRule, text: string, start: number, end: number): void;
  /** The end of the element that was opened last. */
  close(): void;
};

/** How a walk ended. `unusual`: the complete parser must read the document. */
export type WalkEnd = "complete" | "cut off" | "unusual";

const [slash, greater, quote, apostrophe, space] = [47, 62, 34, 39, 32];

/**
 * Walks the one element with which `text` starts, up to its end tag. `text` must have no comments, CDATA, processing
 * instructions or namespace prefixes.
 */
export function walkElement(text: string, handler: ElementHandler): WalkEnd {
  let depth = 0;
  let at = text.indexOf("<");
  while (at >= 0) {
    const start = at + 1;
    if (text.charCodeAt(start) === slash) {
      const end = text.indexOf(">", start + 1);
      if (end < 0) return "cut off";
      depth -= 1;
      if (depth < 0) return "unusual";
      handler.close();
      if (depth === 0) return "complete";
      at = text.indexOf("<", end + 1);
      continue;
    }
    const nameEnd = findNameEnd(text, start);
    const end = text.charCodeAt(nameEnd) === greater ? nameEnd : findTagEnd(text, nameEnd);
    if (end < 0) return "cut off";
    const rule = handler.find(text, start, nameEnd);
    if (text.charCodeAt(end - 1) === slash) {
      if (rule !== undefined) handler.leaf(rule, "", 0, 0);
      if (depth === 0) return "complete";
      at = text.indexOf("<", end + 1);
      continue;
    }
    at = text.indexOf("<", end + 1);
    if (at < 0 || text.charCodeAt(at + 1) !== slash) {
      depth += 1;
      handler.open(rule);
      continue;
    }
    const after = findEndTag(text, { start, end: nameEnd }, at + 2);
    if (after === undefined) return "unusual";
    if (after < 0) return "cut off"; // the value before it may be complete, but nobody can know
    if (rule !== undefined) handler.leaf(rule, text, end + 1, at);
    if (depth === 0) return "complete";
    at = text.indexOf("<", after + 1);
  }
  return "cut off";
}

/**
 * The position of the `>` of an end tag whose name starts at `start`; -1 if it is cut off.
 * @param name the name that it must have
 * @returns undefined if it has another one
 */
function findEndTag(
  text: string,
  name: { readonly start: number; readonly end: number },
  start: number,
): number | undefined {
  let at = start;
  for (let other = name.start; other < name.end; other += 1, at += 1)
    if (text.charCodeAt(at) !== text.charCodeAt(other)) return undefined;
  if (text.charCodeAt(at) === greater) return at;
  const end = text.indexOf(">", at);
  return end < 0 || text.slice(at, end).trim() === "" ? end : undefined;
}

/** The position of the `>` that ends a tag: one within a quoted value does not. */
function findTagEnd(text: string, start: number): number {
  let quoted = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted !== 0) {
      if (code === quoted) quoted = 0;
    } else if (code === greater) return at;
    else if (code === quote || code === apostrophe) quoted = code;
  }
  return -1;
}

/** The position after an element's name: white space, `/` or `>`. */
function findNameEnd(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code > space && code !== slash && code !== greater; ) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}
