// Finds organizations by EIN in the sorted lines of an open release.
import { closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Ein } from "../contract/ein.ts";
import { parts } from "./layout.ts";
import { readFully } from "./records.ts";

/** Maximum bytes of a line with its line feed. The pipeline leaves out longer ones. */
export const organizationBytesMax = 4_096;

/** Bytes up to which reading all lines is faster than halving them again. Half of them must hold the longest line. */
const chunkBytes = 2 * organizationBytesMax;

/** The start of an organization's line. It cannot occur within a line, because quotes in JSON text are escaped. */
const lineStart = (ein: string) => `{"ein":"${ein}"`;
const startBytes = lineStart("000000000").length;

/**
 * The organizations of an open release. Nothing is kept in memory: a search by halves reads about 15 chunks, even of three
 * million lines. Reads are synchronous for the same reason as in `Records`.
 */
export class Organizations {
  readonly #file: number;
  readonly #bytes: number;

  /** @param folder the release's folder */
  constructor(folder: string) {
    this.#file = openSync(join(folder, parts.organizations), "r");
    this.#bytes = fstatSync(this.#file).size;
  }

  /** The JSON of the organization with this EIN, without its line feed; undefined if there is none. */
  find(ein: Ein): Buffer | undefined {
    const sought = lineStart(ein);
    let [low, high] = [0, this.#bytes]; // each the start of a line, or the end of the file
    while (high - low > chunkBytes) {
      const middle = Math.floor((low + high) / 2);
      const chunk = this.#read(middle, Math.min(middle + organizationBytesMax + startBytes, this.#bytes));
      const start = chunk.indexOf("\n") + 1;
      if (sought < chunk.toString("latin1", start, start + startBytes)) high = middle + start;
      else low = middle + start;
    }
    const lines = this.#read(low, high);
    const start = lines.indexOf(sought);
    return start < 0 ? undefined : lines.subarray(start, lines.indexOf("\n", start));
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(from: number, to: number): Buffer {
    return readFully(this.#file, from, to - from);
  }
}
