// Reads the lines of a file once, from start to end: where each ends, how many there are, and the digest of all.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { lineFeed } from "../lines.ts";
import type { PartDigest } from "../releases/manifest.ts";

/** Bytes that are read at a time: few enough that they stay in the cache of the core that digests and searches them. */
const chunkBytes = 2 ** 20;

/** A run of bytes, which may start and end within a line, and the offsets in it after each line end. */
export type LineRun = { readonly bytes: Buffer; readonly ends: readonly number[] };

/** What a whole file has. */
export type ReadFile = PartDigest & {
  readonly lines: number;
  /** Bytes after the last line end. */
  readonly rest: number;
};

export class LineReader {
  readonly #file: FileHandle;
  readonly #chunk = Buffer.allocUnsafe(chunkBytes);
  readonly #digest = createHash("sha256");
  /** The part of the chunk that was read from the file and not taken yet. */
  #unread: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #lines = 0;
  #rest = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<LineReader> {
    return new LineReader(await open(path));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /**
   * The next `lines` lines, in runs; fewer if the file ends. A run is valid until the next one is asked for.
   */
  async *take(lines: number): AsyncGenerator<LineRun> {
    for (let left = lines; left > 0; ) {
      if (this.#unread.length === 0 && !(await this.#read())) return;
      const ends = findEnds(this.#unread, left);
      left -= ends.length;
      const bytes = left === 0 ? this.#unread.subarray(0, ends.at(-1)) : this.#unread;
      this.#unread = this.#unread.subarray(bytes.length);
      this.#lines += ends.length;
      this.#rest = ends.length === 0 ? this.#rest + bytes.length : bytes.length - (ends.at(-1) ?? 0);
      yield { bytes, ends };
    }
  }

  /** Reads the rest of the file. */
  async finish(): Promise<ReadFile> {
    for await (const _ of this.take(Number.POSITIVE_INFINITY));
    const sha256 = this.#digest.digest("hex");
    return { bytes: this.#bytes, sha256, lines: this.#lines, rest: this.#rest };
  }

  async #read(): Promise<boolean> {
    const { bytesRead } = await this.#file.read(this.#chunk, 0, chunkBytes, this.#bytes);
    this.#unread = this.#chunk.subarray(0, bytesRead);
    this.#digest.update(this.#unread);
    this.#bytes += bytesRead;
    return bytesRead > 0;
  }
}

/** The offsets after the line ends of some bytes, at most `most` of them. */
function findEnds(bytes: Buffer, most: number): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    ends.push(at + 1);
    if (ends.length === most) break;
  }
  return ends;
}
