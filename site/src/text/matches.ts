// Finds the matches of a search in a text, as the API compares: ignoring case and how letters are composed.
import { canonicalLetters, canonicalText } from "../../../api-static/contract/text/text.ts";

/** A part of a text; every second one, from the second on, is a match. */
export type Pieces = readonly string[];

/** Splits text into graphemes, so that a letter and its accents stay together. */
const graphemes = new Intl.Segmenter("en-US", { granularity: "grapheme" });

/**
 * Splits a text around the places where it contains a pattern. The pieces joined are the text.
 * @returns e.g., ["", "FOOD", " and ", "food"] for "FOOD and food"; the text alone if nothing matches
 */
export function splitMatches(text: string, pattern: string): Pieces {
  const wanted = canonicalText(pattern);
  if (wanted === "") return [text];
  const { canonical, starts } = canonicalOf(text);
  const pieces: string[] = [];
  let end = 0; // of the previous match, in the text
  for (let at = canonical.indexOf(wanted); at >= 0; at = canonical.indexOf(wanted, at + wanted.length)) {
    const from = Math.max(starts[at] ?? 0, end);
    const to = endOf(starts, at + wanted.length, text.length);
    if (to <= from) continue; // inside a grapheme that is marked already
    pieces.push(text.slice(end, from), text.slice(from, to));
    end = to;
  }
  return [...pieces, text.slice(end)];
}

/** The canonical text, and for each of its characters the index in the text of the grapheme it comes from. */
function canonicalOf(text: string): { canonical: string; starts: readonly number[] } {
  // Most texts are ASCII, where each letter is a grapheme.
  if (/^[ -~]*$/.test(text))
    return { canonical: text.toLowerCase(), starts: Array.from(text, (_, index) => index) };
  let canonical = "";
  const starts: number[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const form = canonicalLetters(segment);
    for (let unit = 0; unit < form.length; unit++) starts.push(index);
    canonical += form;
  }
  return { canonical, starts };
}

/** Where the match ends in the text: where the first grapheme after it starts. */
function endOf(starts: readonly number[], after: number, length: number): number {
  const last = starts[after - 1];
  for (let at = after; at < starts.length; at++) {
    const start = starts[at];
    if (start !== undefined && start !== last) return start;
  }
  return length;
}
