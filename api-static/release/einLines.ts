// Finds a line by its EIN in a sorted file of JSON lines.
import { closeSync, fstatSync, openSync } from "node:fs";
import type { Ein } from "../contract/ein.ts";
import { readFully } from "./records.ts";

/** Bytes of a read, unless a line is longer. */
const chunkBytes = 4_096;

/** The start of an organization's line. It occurs nowhere else, because quotes in JSON text are escaped. */
const lineStart = (ein: string) => `{"ein":"${ein}"`;

/** Bytes of the start of a line, up to the comma after the EIN. */
export const startBytes = lineStart("000000000").length;

/**
 * The lines of an open file, by EIN. A binary search reads about 15 chunks even of three million lines, and keeps the starts
 * of lines that it compared, so that an export with names reads one chunk for most of them. Reads are synchronous for the same
 * reason as in `Records`.
 */
export class EinLines {
  readonly #file: number;
  readonly #bytes: number;
  /** Starts of lines by the place after which they were sought: at most one per chunk. */
  readonly #probes = new Map<number, { readonly at: number; readonly text: string }>();

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.#bytes = fstatSync(this.#file).size;
  }

  /** The line of an EIN, without the line feed; undefined if there is none. */
  find(ein: Ein): Buffer | undefined {
    const sought = lineStart(ein);
    let [low, high] = [0, this.#bytes]; // each the start of a line, or the end of the file
    while (high - low > 2 * chunkBytes) {
      const { at, text } = this.#probe(Math.floor((low + high) / 2));
      if (at >= high) break; // a long line ends there
      if (sought < text) high = at;
      else low = at;
    }
    const lines = readFully(this.#file, low, high - low);
    const start = lines.indexOf(sought);
    return start < 0 ? undefined : lines.subarray(start, lines.indexOf("\n", start));
  }

  /** The start of the first line after a place. */
  #probe(place: number) {
    const known = this.#probes.get(place);
    if (known !== undefined) return known;
    for (let bytes = chunkBytes; ; bytes *= 4) {
      const end = Math.min(place + bytes, this.#bytes);
      const chunk = readFully(this.#file, place, end - place);
      const start = chunk.indexOf("\n") + 1;
      if (end < this.#bytes && (start === 0 || start + startBytes > chunk.length)) continue;
      const probe = { at: place + start, text: chunk.toString("latin1", start, start + startBytes) };
      this.#probes.set(place, probe);
      return probe;
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
