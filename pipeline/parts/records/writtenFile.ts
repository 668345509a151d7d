// Writes a new file from start to end, and reads each piece back.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import type { PartDigest } from "../../releases/manifest.ts";

/** Bytes that are written at a time: few enough that they stay in the cache of the core that digests them. */
const pieceBytes = 2 ** 20;

export class WrittenFile {
  readonly #path: string;
  readonly #file: number;
  readonly #piece = Buffer.allocUnsafe(pieceBytes);
  readonly #readBack = Buffer.allocUnsafe(pieceBytes);
  readonly #digest = createHash("sha256");
  #filled = 0;
  #written = 0;

  /** @param path of the file, which is replaced if it is there */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "w+");
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#written + this.#filled;
  }

  append(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      if (this.#filled === pieceBytes) this.#write();
      const copied = bytes.copy(this.#piece, this.#filled, done);
      this.#filled += copied;
      done += copied;
    }
  }

  /**
   * Writes what is left. Returns the file's digest.
   * @throws Error if the file does not have the bytes that were written
   */
  finish(): PartDigest {
    this.#write();
    return { bytes: this.#written, sha256: this.#digest.digest("hex") };
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(): void {
    const piece = this.#piece.subarray(0, this.#filled);
    writeFileSync(this.#file, piece); // `writeSync` may write only a part, without an error
    const bytesRead = readSync(this.#file, this.#readBack, 0, piece.length, this.#written);
    if (!this.#readBack.subarray(0, bytesRead).equals(piece))
      throw new Error(`${this.#path}: other bytes were written at ${this.#written}`);
    this.#digest.update(piece);
    this.#written += piece.length;
    this.#filled = 0;
  }
}
