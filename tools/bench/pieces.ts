// Cuts pieces out of texts as people type them: letters, parts of words, phrases.
import { createHash } from "node:crypto";
import { canonicalText } from "../../api-static/contract/text/text.ts";

/** An integer from 0 to `below` - 1 that depends on the label alone, so that every run cuts the same pieces. */
export function drawNumber(label: string, below: number): number {
  return createHash("sha256").update(label).digest().readUInt32LE(0) % below;
}

/** `length` neighboring letters of a random place within a text, without white space at the ends; all of a shorter text. */
export function cutLetters(text: string, length: number): string {
  const letters = [...text];
  const places = Math.max(1, letters.length - length + 1);
  const first = drawNumber(`${length} letters of ${text}`, places);
  for (let tried = 0; tried < places; tried++) {
    const at = (first + tried) % places;
    const piece = letters.slice(at, at + length).join("");
    if (piece === canonicalText(piece) && !/^\s|\s$/.test(piece)) return piece;
  }
  return text;
}

/** `count` neighboring words of a text; all of a text with fewer. */
export function cutPhrase(text: string, count: number): string {
  const words = text.split(" ").filter((word) => word !== "");
  const first = drawNumber(`${count} words of ${text}`, Math.max(1, words.length - count + 1));
  return words.slice(first, first + count).join(" ");
}

/** From the middle of a text's first word to the middle of its second, e.g., "eral sup"; the text itself if it is one word. */
export function cutAcrossWords(text: string): string {
  const [first, second] = text.split(" ");
  if (!first || !second) return text;
  return `${first.slice(Math.floor(first.length / 2))} ${second.slice(0, Math.ceil(second.length / 2))}`;
}
