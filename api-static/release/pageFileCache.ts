// Reads page files and keeps recently used ones in memory, up to a bound.
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { DamagedPage, readPageFileDigest } from "./pageFileFormat.ts";
import { systemCode } from "./systemErrors.ts";

/** A page file, and the digest of the page that its head names; undefined where that is no page's head. */
export type PageFile = { readonly stored: Buffer; readonly digest: string | undefined };

/** Bytes that keeping a file takes besides its own: its path, its place in the cache, the allocator's rounding. */
const keptBesides = 1_000;

export class PageFileCache {
  readonly #kept: LRUCache<string, PageFile> | undefined;

  /** @param bytes of memory for files that stay there, at most; 0 keeps none */
  constructor(bytes: number) {
    this.#kept =
      bytes === 0
        ? undefined
        : new LRUCache({ maxSize: bytes, sizeCalculation: ({ stored }) => stored.length + keptBesides });
  }

  /**
   * The file's bytes, which nobody may change; undefined if there is no file. A file of a release never changes.
   * @throws DamagedPage if the file exists and cannot be read
   */
  async read(path: string): Promise<PageFile | undefined> {
    const kept = this.#kept?.get(path);
    if (kept !== undefined) return kept;
    const stored = await readIfPresent(path);
    if (stored === undefined) return undefined;
    const file = { stored, digest: readPageFileDigest(stored) };
    if (file.digest !== undefined) this.#kept?.set(path, file); // a damaged one may be mended
    return file;
  }
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new DamagedPage("the page file cannot be read", { cause: error });
  }
}
