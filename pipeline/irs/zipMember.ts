// Decompresses a member of a zip, and checks its size and CRC.
import { crc32, inflateRawSync } from "node:zlib";
import { inflate64 } from "./inflate64.ts";
import type { ZipMember } from "./zipDirectory.ts";

/** A member cannot be read; the message is the reason. */
export class MemberError extends Error {}

/** Maximum bytes of a member, compressed or not: each thread may hold one. The largest return known has 51 MB. */
export const memberBytesMax = 128 << 20;

/** Maximum content bytes per compressed byte, by method. A damaged size must not take hundreds of MB. */
const maxRatios: Readonly<Record<number, number>> = { 0: 1, 8: 1_032, 9: 22_000 };

const localHeaderBytes = 30;
const minChunkBytes = 64;
/** Room beyond the content: without it, Node.js allocates a second buffer of this size to find the end. */
const spareBytes = 1;

/** Why a member cannot be read and what to do, as far as its zip's directory shows; undefined if nothing is wrong there. */
export function findObstacle({ method, isEncrypted, compressedSize, size }: ZipMember): string | undefined {
  if (isEncrypted) return "it is encrypted; unpack the zip with its password, and import the files";
  const bytes = Math.max(size, compressedSize);
  if (bytes > memberBytesMax) return `it has ${bytes} bytes; the limit is ${memberBytesMax}`;
  const maxRatio = maxRatios[method];
  if (maxRatio === undefined)
    return `compression method ${method} is not supported; unpack the zip, and import the files`;
  return size > compressedSize * maxRatio
    ? `its size is wrong: ${size} bytes of ${compressedSize}`
    : undefined;
}

/**
 * The content of a member without an obstacle.
 * @param local the file's bytes from the member's local header on
 * @throws MemberError if the member is damaged
 */
export function readMember(member: ZipMember, local: Buffer): Buffer {
  const start = dataStart(local);
  const data = local.subarray(start, start + member.compressedSize);
  if (data.length < member.compressedSize) throw new MemberError("it is cut off");
  const content = decompress(member, data);
  if (content.length !== member.size)
    throw new MemberError(`it has ${content.length} bytes; the directory says ${member.size}`);
  if (crc32(content) !== member.crc32) throw new MemberError("its CRC is wrong");
  return content;
}

/** Where the data starts after a local header. */
function dataStart(local: Buffer): number {
  if (local.length < localHeaderBytes || local.readUInt32LE(0) !== 0x04034b50)
    throw new MemberError("its local header is damaged");
  return localHeaderBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
}

function decompress({ method, size }: ZipMember, data: Buffer): Buffer {
  try {
    if (method === 0) return data;
    if (method === 8)
      return inflateRawSync(data, {
        chunkSize: Math.max(size + spareBytes, minChunkBytes),
        maxOutputLength: Math.max(size, 1),
      });
    return inflate64(data, size);
  } catch (error) {
    throw new MemberError(`its data is damaged (${error instanceof Error ? error.message : error})`);
  }
}
