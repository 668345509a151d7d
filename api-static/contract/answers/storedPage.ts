// Reads the digest and the total of a stored page from its bytes, without decompressing it.

/** Bytes of a digest: the first half of a SHA-256, enough to distinguish any two contents. */
export const digestBytes = 16;

/**
 * The gzip header of every stored page (RFC 1952, section 2.3): magic, deflate, FEXTRA, no time, unknown system; then an extra
 * field of one subfield "GH" with the digest of the plain body, which follows. Every gzip reader skips it.
 */
export const storedHeader = Uint8Array.of(
  ...[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255],
  ...[digestBytes + 4, 0, 0x47, 0x48, digestBytes, 0],
);

/** Bytes of the checksum and the size of the body, which end a gzip file. */
const trailerBytes = 8;

/** More than enough for the text after the records. */
const tailBytes = 100;

/** The digest of a stored page's body, in hexadecimal; undefined if the bytes are not a stored page. */
export function readPageFileDigest(stored: Uint8Array): string | undefined {
  const end = storedHeader.length + digestBytes;
  if (stored.length < end || storedHeader.some((byte, index) => stored[index] !== byte)) return undefined;
  return formatHex(stored.subarray(storedHeader.length, end));
}

/** The `total` of a stored page, from its end, which is not compressed; undefined if there is none. */
export function readStoredTotal(stored: Uint8Array): number | undefined {
  const tail = stored.subarray(Math.max(0, stored.length - trailerBytes - tailBytes), -trailerBytes);
  const [, total] =
    /\n\],"total":(\d+),"limit":\d+,"offset":\d+\}\n$/.exec(String.fromCharCode(...tail)) ?? [];
  return total === undefined ? undefined : Number(total);
}

const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function formatHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexDigits[byte];
  return text;
}
