// Writes lines of text to a file, through a buffer.
import { closeSync, openSync, writeSync } from "node:fs";

const bufferBytes = 1 << 20;
/** Maximum bytes of UTF-8 per unit of UTF-16. */
const bytesPerUnit = 3;

/**
 * A file of lines, created with the first one. Lines are encoded one by one: thousands of strings that wait for a write
 * would keep the garbage collector busy for most of the time.
 */
export class LineFile {
  readonly #path: string;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #file: number | undefined;
  #filled = 0;

  constructor(path: string) {
    this.#path = path;
  }

  append(line: string): void {
    const bytesMax = (line.length + 1) * bytesPerUnit;
    if (bytesMax > bufferBytes - this.#filled) this.flush();
    if (bytesMax > bufferBytes) this.#write(Buffer.from(`${line}\n`));
    else {
      this.#filled += this.#buffer.write(line, this.#filled);
      this.#buffer[this.#filled] = 10;
      this.#filled += 1;
    }
  }

  /** Writes the buffer. */
  flush(): void {
    this.#write(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  close(): void {
    this.flush();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#file ??= openSync(this.#path, "w");
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }
}
