// Owns the reading of page files: those asked of late stay in memory, up to a bound.
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";

export class PageFiles {
  readonly #kept: LRUCache<string, Buffer> | undefined;

  /** @param bytes of files that stay in memory at most; 0 keeps none */
  constructor(bytes: number) {
    this.#kept =
      bytes === 0 ? undefined : new LRUCache({ maxSize: bytes, sizeCalculation: ({ length }) => length + 1 });
  }

  /** The file's bytes, which nobody may change; undefined where there is no file. A file of a release never changes. */
  async read(path: string): Promise<Buffer | undefined> {
    const kept = this.#kept?.get(path);
    if (kept !== undefined) return kept;
    const body = await readIfPresent(path);
    if (body !== undefined) this.#kept?.set(path, body);
    return body;
  }
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
