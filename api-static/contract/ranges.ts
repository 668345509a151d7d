// Reads which bytes of a file a request asks for (RFC 9110, section 14).

/** Bytes from `offset`, `length` of them; at least one. */
export type ByteRange = { readonly offset: number; readonly length: number };

export type RangeHeaders = {
  readonly range: string | null | undefined;
  readonly ifRange: string | null | undefined;
};

/**
 * The bytes that a GET asks for. Undefined for all of them: without the header, in another unit, for several ranges, which a server
 * may ignore, and if the copy that `If-Range` names is not the file; dates never name one.
 * @param size of the file in bytes
 * @param etag the strong ETag of the file
 */
export function readRange(
  { range, ifRange }: RangeHeaders,
  size: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  const [, list] = /^\s*bytes\s*=(.*)$/is.exec(range ?? "") ?? [];
  if (list === undefined || (typeof ifRange === "string" && ifRange.trim() !== etag)) return undefined;
  const ranges = list.split(",").map((one) => readOne(one.trim(), size));
  if (ranges.length === 1) return ranges[0] ?? "unsatisfiable";
  return ranges.some((one) => one !== undefined) ? undefined : "unsatisfiable";
}

/** One range, e.g., "0-499", "500-" or "-500"; undefined if it is malformed or has no byte of the file. */
function readOne(text: string, size: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^(\d*)-(\d*)$/.exec(text) ?? [];
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && BigInt(last) < BigInt(first)) return undefined;
  const offset = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return offset < end ? { offset, length: end - offset } : undefined;
}

/** The Content-Range header of a part of a file, or of the refusal of a range. */
export function formatContentRange(range: ByteRange | undefined, size: number): string {
  if (range === undefined) return `bytes */${size}`;
  return `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
}
