// Writes `records.offsets` while `records` is read, and `records` itself if its lines come from several files.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { offsetBytes, parts, writeOffset } from "../../api-static/release/layout.ts";
import type { PartDigest } from "../releases/manifest.ts";
import type { LineRun } from "./lineReader.ts";

/** Bytes that are written at a time. */
const bufferBytes = 2 ** 20;

export class LineWriter {
  readonly #offsets: BufferedFile;
  /** Undefined if `records` is already complete. */
  readonly #records: BufferedFile | undefined;
  readonly #digest = createHash("sha256");
  #bytes = 0;
  #lines = 0;

  private constructor(offsets: BufferedFile, records: BufferedFile | undefined) {
    this.#offsets = offsets;
    this.#records = records;
  }

  /** @param isWritingRecords false if `records` is already complete */
  static async open(folder: string, isWritingRecords: boolean): Promise<LineWriter> {
    const offsets = await BufferedFile.open(join(folder, parts.offsets));
    try {
      await offsets.append(Buffer.alloc(offsetBytes)); // the first line starts at 0
      return new LineWriter(
        offsets,
        isWritingRecords ? await BufferedFile.open(join(folder, parts.records)) : undefined,
      );
    } catch (error) {
      await offsets.close();
      throw error;
    }
  }

  /** Lines so far. */
  get lines(): number {
    return this.#lines;
  }

  async add({ bytes, ends }: LineRun): Promise<void> {
    const table = Buffer.allocUnsafe(ends.length * offsetBytes);
    for (const [index, end] of ends.entries()) writeOffset(table, index, this.#bytes + end);
    await this.#offsets.append(table);
    if (this.#records !== undefined) {
      this.#digest.update(bytes);
      await this.#records.append(bytes);
    }
    this.#bytes += bytes.length;
    this.#lines += ends.length;
  }

  /** Completes the files. Returns the digest of `records`, if it was written here. */
  async finish(): Promise<PartDigest> {
    await this.#offsets.flush();
    await this.#records?.flush();
    return { bytes: this.#bytes, sha256: this.#digest.digest("hex") };
  }

  async close(): Promise<void> {
    await this.#offsets.close();
    await this.#records?.close();
  }
}

/** A new file that is written in large pieces. */
class BufferedFile {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #filled = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<BufferedFile> {
    return new BufferedFile(await open(path, "w"));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async append(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      if (this.#filled === bufferBytes) await this.flush();
      const copied = bytes.copy(this.#buffer, this.#filled, done);
      this.#filled += copied;
      done += copied;
    }
  }

  async flush(): Promise<void> {
    await this.#file.appendFile(this.#buffer.subarray(0, this.#filled)); // `write` may write only a part, without an error
    this.#filled = 0;
  }
}
