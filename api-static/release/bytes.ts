// Makes memory that threads share.

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
