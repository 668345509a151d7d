// Reads page files by their keys.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { storedEnding } from "../contract/operations/searches.ts";
import { readPageFileDigest } from "../contract/storedPage.ts";
import { parts } from "./layout.ts";
import { DamagedPage } from "./pageFileFormat.ts";
import { systemCode } from "./systemErrors.ts";

/** A page file, and the digest in its header. */
export type PageFile = { readonly stored: Buffer; readonly digest: string };

/** The page files of a release. Reads are synchronous for the same reason as in `Records`. */
export class PageFiles {
  readonly #folder: string;

  /** @param folder of the release */
  constructor(folder: string) {
    this.#folder = `${join(folder, parts.public)}/`;
  }

  /** The page file of a key; undefined if there is none. @throws DamagedPage if it exists and cannot be read, or its header is not valid */
  read(key: string): PageFile | undefined {
    const stored = this.#readFile(key);
    if (stored === undefined) return undefined;
    const digest = readPageFileDigest(stored);
    if (digest === undefined) throw new DamagedPage(`the header of ${key} is not valid`);
    return { stored, digest };
  }

  #readFile(key: string): Buffer | undefined {
    try {
      return readFileSync(this.#folder + key + storedEnding);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw new DamagedPage(`${key} cannot be read`, { cause: error });
    }
  }
}
