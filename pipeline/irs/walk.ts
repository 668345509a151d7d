// Walks the elements of well-formed, plain XML: the fast path for nearly every return.

/** Receives the elements of a document in order. Text beside child elements is omitted. */
export type ElementHandler = {
  /** An element with elements below it, or one that is cut off. Returns whether any element below it matters. */
  open(name: string): boolean;
  /** An element without elements below it, with its text as it stands in the document. */
  leaf(name: string, text: string): void;
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
    if (text.charCodeAt(at + 1) === slash) {
      const end = text.indexOf(">", at + 2);
      if (end < 0) return "cut off";
      depth -= 1;
      if (depth < 0) return "unusual";
      handler.close();
      if (depth === 0) return "complete";
      at = text.indexOf("<", end + 1);
      continue;
    }
    const nameEnd = findNameEnd(text, at + 1);
    const end = text.charCodeAt(nameEnd) === greater ? nameEnd : findTagEnd(text, nameEnd);
    if (end < 0) return "cut off";
    const name = text.slice(at + 1, nameEnd);
    if (text.charCodeAt(end - 1) === slash) {
      handler.leaf(name, "");
      if (depth === 0) return "complete";
      at = text.indexOf("<", end + 1);
      continue;
    }
    at = text.indexOf("<", end + 1);
    if (at >= 0 && text.charCodeAt(at + 1) === slash) {
      if (!text.startsWith(name, at + 2)) return "unusual";
      const after = text.indexOf(">", at + 2 + name.length);
      if (after < 0) return "cut off"; // the value before it may be complete, but nobody can know
      if (after !== at + 2 + name.length && text.slice(at + 2 + name.length, after).trim() !== "")
        return "unusual";
      handler.leaf(name, text.slice(end + 1, at));
      if (depth === 0) return "complete";
      at = text.indexOf("<", after + 1);
    } else {
      depth += 1;
      if (!handler.open(name) && at >= 0) at = findSkipped(text, name, at);
    }
  }
  return "cut off";
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

/** The end tag of an element that does not matter, if its name does not occur in it; otherwise the position from which to walk it. */
function findSkipped(text: string, name: string, from: number): number {
  const end = text.indexOf(`</${name}>`, from);
  return end < 0 || text.slice(from, end).includes(`<${name}`) ? from : end;
}
