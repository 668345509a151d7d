// Makes the bytes of responses. Short ones are strings, because V8 collects garbage after a few hundred new buffers.

/** Bytes to send. A string has one byte per character; Node.js sends it in the same write as the headers. */
export type Bytes = Buffer | string;

/** Maximum bytes of a string: nearly every page of 100 records fits. Copying more costs more than a second write. */
const maxTextBytes = 64 * 1024;

/** Joins pieces before they become a string. */
const scratch = Buffer.allocUnsafeSlow(maxTextBytes);

/** The same bytes, as a string if they are short. */
export function compactBytes(bytes: Bytes): Bytes {
  return typeof bytes === "string" || bytes.length > maxTextBytes ? bytes : bytes.toString("latin1");
}

/** A copy of bytes whose memory will be reused. */
export function copyBytes(bytes: Buffer): Bytes {
  return bytes.length > maxTextBytes ? Buffer.from(bytes) : compactBytes(bytes);
}

export function joinBytes(pieces: readonly Buffer[]): Bytes {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > maxTextBytes) return Buffer.concat(pieces, length);
  let end = 0;
  for (const piece of pieces) end += piece.copy(scratch, end);
  return compactBytes(scratch.subarray(0, end));
}

/** A copy of pieces in memory that threads share: a message to a thread does not clone it. */
export function shareBytes(...pieces: readonly Uint8Array[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const shared = Buffer.from(new SharedArrayBuffer(length));
  let end = 0;
  for (const piece of pieces) {
    shared.set(piece, end);
    end += piece.length;
  }
  return shared;
}

export function toBuffer(bytes: Bytes): Buffer {
  return typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
}
