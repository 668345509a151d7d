// Compresses many small runs of bytes with one deflate state, because a new state for each run costs more than a short run itself.
import { constants, createDeflateRaw, type DeflateRaw, deflateRawSync } from "node:zlib";

/** Level 1 compresses about 570 MB/s per core; level 6 makes pages 5 % smaller at less than half the speed. */
const level = 1;

/** Bytes of output per call: as in `deflateRawSync`, because deflate's output depends on where its buffer ends. */
const chunkBytes = 16_384;

/** The compressor behind a stream of Node.js, which has no synchronous method itself. */
type Handle = {
  reset(): void;
  writeSync(
    ...call: [
      flush: number,
      input: Uint8Array,
      inputAt: number,
      inputBytes: number,
      output: Uint8Array,
      outputAt: number,
      outputBytes: number,
    ]
  ): void;
};

/** A stream's compressor, and the numbers that it leaves after each call: free bytes of output, bytes of input left. */
type Kept = { readonly handle: Handle; readonly left: Uint32Array };

/** Compresses runs of bytes to deflate blocks that any other blocks may follow. Each result depends on its run alone. */
export class Compressor {
  readonly #kept = keepState();
  readonly #output = Buffer.allocUnsafe(chunkBytes);

  /** True if one state is kept. Otherwise, this version of Node.js does not allow it, and each run gets a new one. */
  get isKeeping(): boolean {
    return this.#kept !== undefined;
  }

  compress(run: Uint8Array): Buffer {
    if (this.#kept === undefined) return deflateRawSync(run, { level, finishFlush: constants.Z_SYNC_FLUSH });
    const { handle, left } = this.#kept;
    handle.reset();
    const chunks: Buffer[] = [];
    let [at, rest, free] = [0, run.length, 0];
    while (free === 0) {
      handle.writeSync(constants.Z_SYNC_FLUSH, run, at, rest, this.#output, 0, chunkBytes);
      [free = 0, rest = 0] = left;
      at = run.length - rest;
      chunks.push(Buffer.from(this.#output.subarray(0, chunkBytes - free)));
    }
    const [only, ...others] = chunks;
    return only !== undefined && others.length === 0 ? only : Buffer.concat(chunks);
  }
}

/** The state of a stream that is never used as a stream; undefined if it is not where it has been since Node.js 10. */
function keepState(): Kept | undefined {
  const stream = createDeflateRaw({ level }) as DeflateRaw & { _handle?: Handle; _writeState?: unknown };
  const { _handle: handle, _writeState: left } = stream;
  const isKnown = typeof handle?.writeSync === "function" && typeof handle.reset === "function";
  return isKnown && left instanceof Uint32Array ? { handle, left } : undefined;
}
