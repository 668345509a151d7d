// Reads the directory of a zip file, zip64 included: the place, sizes and CRC of each member.
// The format is APPNOTE.TXT of PKWARE, sections 4.3.12 to 4.3.16 and 4.5.3.
import { readSync } from "node:fs";

/** A member of a zip, as its directory describes it. Numbers are bytes. */
export type ZipMember = {
  readonly name: string;
  /** 0 stored, 8 Deflate, 9 Deflate64. */
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Position of the member's local header. */
  readonly offset: number;
};

export type ZipDirectory = {
  /** In the order of the directory. */
  readonly members: readonly ZipMember[];
  /** Entries that could not be read. */
  readonly damagedEntries: number;
  /** Position at which the directory starts, and the members end. */
  readonly start: number;
};

/** A file is not a whole zip; the message is the reason. */
export class ZipError extends Error {}

const signatures = {
  entry: Buffer.from("PK\x01\x02", "latin1"),
  end: Buffer.from("PK\x05\x06", "latin1"),
  end64: Buffer.from("PK\x06\x06", "latin1"),
  locator64: 0x07064b50,
};

const [endBytes, locatorBytes, end64Bytes, entryBytes] = [22, 20, 56, 46];
const maxCommentBytes = 65_535;
/** A larger directory counts as damaged: the largest known one has about 40 MB. */
const maxDirectoryBytes = 1 << 28;

/**
 * @param file a descriptor of the open file
 * @param fileBytes its size
 * @throws ZipError if the file has no directory, e.g., because its end is missing
 */
export function readDirectory(file: number, fileBytes: number): ZipDirectory {
  const { start, shift, bytes, entries } = findDirectory(file, fileBytes);
  const directory = readBytes(file, start, bytes);
  const members: ZipMember[] = [];
  let at = directory.indexOf(signatures.entry);
  while (at >= 0 && at + entryBytes <= directory.length) {
    const entry = readEntry(directory, at);
    if (entry !== undefined && entry.member.offset + shift < start)
      members.push({ ...entry.member, offset: entry.member.offset + shift });
    // After a damaged entry, the next one is found by its signature.
    at = directory.indexOf(signatures.entry, entry?.end ?? at + 1);
  }
  return { members, damagedEntries: Math.max(0, entries - members.length), start };
}

type Directory = {
  readonly start: number;
  /** Bytes before the zip, e.g., of a header or an error that a server wrote first: they shift all stored positions. */
  readonly shift: number;
  readonly bytes: number;
  readonly entries: number;
};

function findDirectory(file: number, fileBytes: number): Directory {
  const tailStart = Math.max(0, fileBytes - endBytes - maxCommentBytes);
  const tail = readBytes(file, tailStart, fileBytes - tailStart);
  const end = tail.lastIndexOf(signatures.end, Math.max(0, tail.length - endBytes));
  if (end < 0 || tail.length < endBytes) throw new ZipError("its end is missing, or it is not a zip file");
  let entries = tail.readUInt16LE(end + 10);
  let bytes = tail.readUInt32LE(end + 12);
  let start = tail.readUInt32LE(end + 16);
  let limit = tailStart + end;
  const locator = limit - locatorBytes;
  if (locator >= 0) {
    const pointer = readBytes(file, locator, locatorBytes);
    if (pointer.readUInt32LE(0) === signatures.locator64) {
      const places = [readUInt64(pointer, 8), locator - end64Bytes]; // the second one if bytes precede the zip
      limit = places.find((place) => hasSignature(file, place, signatures.end64)) ?? -1;
      if (limit < 0) throw new ZipError("its zip64 directory is damaged");
      const end64 = readBytes(file, limit, end64Bytes);
      entries = readUInt64(end64, 32);
      bytes = readUInt64(end64, 40);
      start = readUInt64(end64, 48);
    }
  }
  if (start + bytes > limit || bytes > maxDirectoryBytes) throw new ZipError("its directory is damaged");
  // The directory ends here, unless something else follows it.
  const shift = hasSignature(file, limit - bytes, signatures.entry) ? limit - bytes - start : 0;
  return { start: start + shift, shift, bytes, entries };
}

function hasSignature(file: number, at: number, signature: Buffer): boolean {
  const found = Buffer.alloc(signature.length);
  readSync(file, found, 0, found.length, at);
  return found.equals(signature);
}

/** The entry at a position, and its end; undefined if it is damaged. */
function readEntry(directory: Buffer, at: number): { member: ZipMember; end: number } | undefined {
  const nameStart = at + entryBytes;
  const extraStart = nameStart + directory.readUInt16LE(at + 28);
  const extraEnd = extraStart + directory.readUInt16LE(at + 30);
  const end = extraEnd + directory.readUInt16LE(at + 32);
  if (end > directory.length) return undefined;
  const isNext = end === directory.length || directory.toString("latin1", end, end + 2) === "PK";
  if (!isNext) return undefined;
  const extra = readExtra64(directory.subarray(extraStart, extraEnd));
  const resolve = (value: number) => (value === 0xffffffff ? extra() : value);
  const size = resolve(directory.readUInt32LE(at + 24));
  const compressedSize = resolve(directory.readUInt32LE(at + 20));
  const offset = resolve(directory.readUInt32LE(at + 42));
  if (size === undefined || compressedSize === undefined || offset === undefined) return undefined;
  const member = {
    name: directory.toString("utf8", nameStart, extraStart),
    method: directory.readUInt16LE(at + 10),
    isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
    crc32: directory.readUInt32LE(at + 16),
    compressedSize,
    size,
    offset,
  };
  return { member, end };
}

/** Returns a function that reads the values of the zip64 field one by one; it has only those that did not fit elsewhere. */
function readExtra64(extra: Buffer): () => number | undefined {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  const end = at + 4 <= extra.length ? Math.min(extra.length, at + 4 + extra.readUInt16LE(at + 2)) : 0;
  let next = at + 4;
  return () => {
    if (next + 8 > end) return undefined;
    next += 8;
    return readUInt64(extra, next - 8);
  };
}

/** @throws ZipError beyond 2^53: no file is that large */
function readUInt64(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw new ZipError("its zip64 directory is damaged");
  return value;
}

/** @throws ZipError if the file is shorter */
export function readBytes(
  file: number,
  start: number,
  bytes: number,
  into = Buffer.allocUnsafe(bytes),
): Buffer {
  let filled = 0;
  while (filled < bytes) {
    const read = readSync(file, into, filled, bytes - filled, start + filled);
    if (read === 0) throw new ZipError("it became shorter while it was read");
    filled += read;
  }
  return into.subarray(0, bytes);
}
