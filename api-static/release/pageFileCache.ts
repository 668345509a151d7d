// Reads page files and keeps recently used ones in memory, up to a bound.
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { DamagedPage, readPageFileDigest } from "./pageFileFormat.ts";
import { systemCode } from "./systemErrors.ts";

/** A page file, and the digest of its body as the file's header has it; undefined if the header is not valid. */
export type PageFile = { readonly stored: Buffer; readonly digest: string | undefined };

/** Bytes of memory that a cached file takes beyond its content: its path, its cache entry, the allocator's rounding. */
const overheadBytes = 1_000;

export class PageFileCache {
  readonly #cached: LRUCache<string, PageFile> | undefined;

  /** @param maxBytes memory for cached files; 0 caches none */
  constructor(maxBytes: number) {
    this.#cached =
      maxBytes === 0
        ? undefined
        : new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ stored }) => stored.length + overheadBytes });
  }

  /**
   * The file's bytes, which nobody may change; undefined if there is no file. A file of a release never changes.
   * @throws DamagedPage if the file exists and cannot be read
   */
  async read(path: string): Promise<PageFile | undefined> {
    const cached = this.#cached?.get(path);
    if (cached !== undefined) return cached;
    const stored = await readIfPresent(path);
    if (stored === undefined) return undefined;
    const file = { stored, digest: readPageFileDigest(stored) };
    if (file.digest !== undefined) this.#cached?.set(path, file); // a damaged file may be repaired
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
