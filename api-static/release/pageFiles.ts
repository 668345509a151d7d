// Reads page files by their keys.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { storedEnding } from "../contract/pageKeys.ts";
import { type Bytes, copyBytes } from "./bytes.ts";
import { parts } from "./layout.ts";
import { DamagedPage, readPageFileDigest } from "./pageFileFormat.ts";
import { systemCode } from "./systemErrors.ts";

/** A page file, and the digest of its body as the file's header has it; undefined if the header is not valid. */
export type PageFile = { readonly stored: Bytes; readonly digest: string | undefined };

/** Holds a file while it is read. Larger files are rare: a page of 1,000 records has about 50 KB. */
const scratch = Buffer.allocUnsafeSlow(128 * 1024);

/**
 * The page files of a release. Reads are synchronous for the same reason as in `Records`, and do not ask for the file's size
 * first.
 */
export class PageFiles {
  readonly #folder: string;

  /** @param folder the release's folder */
  constructor(folder: string) {
    this.#folder = `${join(folder, parts.public)}/`;
  }

  /**
   * The file's bytes; undefined if there is no file.
   * @throws DamagedPage if the file exists and cannot be read
   */
  read(key: string): PageFile | undefined {
    try {
      return readWhole(this.#folder + key + storedEnding);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw new DamagedPage("the page file cannot be read", { cause: error });
    }
  }
}

function readWhole(path: string): PageFile {
  const file = openSync(path, "r");
  try {
    const length = readSync(file, scratch, 0, scratch.length, 0);
    const bytes = length < scratch.length ? scratch.subarray(0, length) : readFileSync(file);
    return { stored: copyBytes(bytes), digest: readPageFileDigest(bytes) };
  } finally {
    closeSync(file);
  }
}
