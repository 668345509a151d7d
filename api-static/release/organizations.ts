// Finds organizations by EIN in the sorted lines of an open release.
import { closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Ein } from "../contract/ein.ts";
import { parts } from "./layout.ts";
import { readFully } from "./records.ts";

/** Maximum bytes of a line with its line feed. The pipeline omits longer ones. */
export const organizationBytesMax = 4_096;

/** Ranges up to this many bytes are read whole, not halved again. Half of one must hold the longest line. */
const chunkBytes = 2 * organizationBytesMax;

/** The start of an organization's line. It occurs nowhere else, because quotes in JSON text are escaped. */
const lineStart = (ein: string) => `{"ein":"${ein}"`;
const startBytes = lineStart("000000000").length;

/**
 * The organizations of an open release. A binary search reads about 15 chunks even of three million lines, and keeps the starts
 * of lines that it compared, so that an export with names reads one chunk for most of them. Reads are synchronous for the same
 * reason as in `Records`.
 */
export class Organizations {
  readonly #file: number;
  readonly #bytes: number;
  /** Starts of lines by the place after which they were sought: at most one per 4 KB. */
  readonly #probes = new Map<number, { readonly at: number; readonly text: string }>();

  /** @param folder the release's folder */
  constructor(folder: string) {
    this.#file = openSync(join(folder, parts.organizations), "r");
    this.#bytes = fstatSync(this.#file).size;
  }

  /** The JSON of an organization, without the line feed; undefined if there is none. */
  find(ein: Ein): Buffer | undefined {
    const sought = lineStart(ein);
    let [low, high] = [0, this.#bytes]; // each the start of a line, or the end of the file
    while (high - low > chunkBytes) {
      const { at, text } = this.#probe(Math.floor((low + high) / 2));
      if (sought < text) high = at;
      else low = at;
    }
    const lines = readFully(this.#file, low, high - low);
    const start = lines.indexOf(sought);
    return start < 0 ? undefined : lines.subarray(start, lines.indexOf("\n", start));
  }

  /** The name of an organization; undefined if there is none. */
  findName(ein: Ein): string | undefined {
    const line = this.find(ein);
    return line === undefined ? undefined : (JSON.parse(line.toString()) as { name: string }).name;
  }

  /** The start of the first line after a place. */
  #probe(place: number) {
    const known = this.#probes.get(place);
    if (known !== undefined) return known;
    const end = Math.min(place + organizationBytesMax + startBytes, this.#bytes);
    const chunk = readFully(this.#file, place, end - place);
    const start = chunk.indexOf("\n") + 1;
    const probe = { at: place + start, text: chunk.toString("latin1", start, start + startBytes) };
    this.#probes.set(place, probe);
    return probe;
  }

  close(): void {
    closeSync(this.#file);
  }
}
