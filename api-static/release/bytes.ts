// Makes the bytes that are sent, without large new buffers where strings do: V8 collects garbage after every few hundred of them.

/** Bytes to send. A string has a byte in each character; Node.js sends it and the headers before it in one write. */
export type Bytes = Buffer | string;

/** Up to this many bytes are a string: nearly every page of 100 records. Copying a longer one costs more than a second write. */
const maxTextBytes = 64 * 1024;

/** Holds pieces until they are a string. */
const scratch = Buffer.allocUnsafeSlow(maxTextBytes);

/** The same bytes, as a string if there are few. */
export function compactBytes(bytes: Bytes): Bytes {
  return typeof bytes === "string" || bytes.length > maxTextBytes ? bytes : bytes.toString("latin1");
}

/** A copy of bytes whose memory is used again. */
export function copyBytes(bytes: Buffer): Bytes {
  return bytes.length > maxTextBytes ? Buffer.from(bytes) : compactBytes(bytes);
}

/** The pieces, one after the other. */
export function joinBytes(pieces: readonly Buffer[]): Bytes {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > maxTextBytes) return Buffer.concat(pieces, length);
  let end = 0;
  for (const piece of pieces) end += piece.copy(scratch, end);
  return compactBytes(scratch.subarray(0, end));
}

/** The same bytes, as a buffer. */
export function toBuffer(bytes: Bytes): Buffer {
  return typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
}
