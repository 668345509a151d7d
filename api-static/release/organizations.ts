// Finds organizations by EIN in an open release: names and places, and profiles.

import { closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Ein } from "../contract/ein.ts";
import { parts } from "./layout.ts";
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

/** Maximum bytes of an organization's line with its line feed. The pipeline omits longer ones. */
export const organizationBytesMax = 4_096;

/** Maximum bytes of a profile's line: the IRS takes missions of up to 9,000 characters, and a year of finances takes 200 bytes. */
export const profileBytesMax = 65_536;

/** A name that an organization had, with the first and the last month of the returns that give it, e.g., "2018-12". */
export type FormerName = { readonly name: string; readonly from: string | null; readonly to: string };

/** The profile of an organization of which nothing is known: all fields, in their order. */
export const emptyProfile = {
  subsection: null,
  ruling_year: null,
  former_names: [],
  finances: [],
  mission: null,
  applications: null,
} as const;

/** The fields of an unknown profile. */
const noProfile = Buffer.from(JSON.stringify(emptyProfile).slice(1));

/** The organizations of an open release. */
export class Organizations {
  readonly #lines: EinLines;
  readonly #profiles: EinLines;

  /** @param folder the release's folder */
  constructor(folder: string) {
    this.#lines = new EinLines(join(folder, parts.organizations));
    this.#profiles = new EinLines(join(folder, parts.profiles));
  }

  /** The JSON of an organization's name, place and cause, without the line feed; undefined if there is none. */
  find(ein: Ein): Buffer | undefined {
    return this.#lines.find(ein);
  }

  /** The JSON of an organization with its profile; undefined if there is none. */
  findWhole(ein: Ein): Buffer | undefined {
    const line = this.find(ein);
    if (line === undefined) return undefined;
    const profile = this.#profiles.find(ein)?.subarray(startBytes + ",".length) ?? noProfile;
    return Buffer.concat([line.subarray(0, -"}".length), Buffer.from(","), profile]);
  }

  /** The name of an organization; undefined if there is none. */
  findName(ein: Ein): string | undefined {
    const line = this.find(ein);
    return line === undefined ? undefined : (JSON.parse(line.toString()) as { name: string }).name;
  }

  close(): void {
    this.#lines.close();
    this.#profiles.close();
  }
}
