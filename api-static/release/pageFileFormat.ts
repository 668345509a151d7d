// Reads, formats and compresses page files: gzip files whose header has the digest of the body.
import { createHash, hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, crc32, deflateRawSync, gunzip, gzipSync } from "node:zlib";
import { type BodyParts, envelopeParts, lineEnd, type Page } from "../contract/answers/envelope.ts";
import { digestBytes, readPageFileDigest, storedHeader } from "../contract/answers/storedPage.ts";
import { storedEnding } from "../contract/operations/searches.ts";
import { parts } from "./layout.ts";
import { systemCode } from "./systemErrors.ts";

const header = Buffer.from(storedHeader);

/** The first 128 bits of the body's SHA-256, in hexadecimal. */
export function digestBody(body: Uint8Array): string {
  return hash("sha256", body, "hex").slice(0, 2 * digestBytes);
}

export function digestBodyParts(parts: BodyParts): string {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest("hex").slice(0, 2 * digestBytes);
}

/** Level 1 compresses about 570 MB/s per core; level 6 makes pages 5 % smaller at less than half the speed. */
const level = 1;

/**
 * Compresses a run of lines, without the last line end, to deflate blocks that any blocks may follow. Each call makes a new
 * deflate state, because one that is reset does not always give the same bytes for the same lines.
 * @param lines at least one, each with its line end
 */
export function compressLines(lines: Buffer): Buffer {
  return compress(lines.subarray(0, lines.length - lineEnd.length));
}

function compress(bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
}

export function gzipBody(body: Buffer): Buffer {
  return gzipSync(body, { level });
}

/** The content of a file, in pieces, and the digest and size of its body. */
export type StoredFile = {
  readonly pieces: Buffer[];
  readonly digest: string;
  readonly bodyBytes: number;
};

/** The file of a page of grants. @param lines those of the page, each with its line end @param compressed the same in runs */
export function formatPageFile(page: Page, lines: Buffer, compressed: readonly Buffer[]): StoredFile {
  return formatStoredFile(envelopeParts(page, lines), compressed);
}

/** The file of a body that shares no lines with others. */
export function formatWholeFile(body: Buffer): StoredFile {
  const none = Buffer.alloc(0);
  return formatStoredFile([none, body, none], [compress(body)]);
}

/** The file of a body. @param compressed the body's lines, in one or more runs */
export function formatStoredFile(parts: BodyParts, compressed: readonly Buffer[]): StoredFile {
  const digest = createHash("sha256");
  let sum = 0;
  let bodyBytes = 0;
  for (const part of parts) {
    digest.update(part);
    sum = crc32(part, sum);
    bodyBytes += part.length;
  }
  const digestHead = digest.digest().subarray(0, digestBytes);
  const [head, , tail] = parts;
  const between = storedBlock(Buffer.from(lineEnd), false);
  const runs = compressed.flatMap((run, index) => (index === 0 ? [run] : [between, run]));
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(bodyBytes % 2 ** 32, 4);
  const pieces = [header, digestHead, storedBlock(head, false), ...runs, storedBlock(tail, true), trailer];
  return { pieces, digest: digestHead.toString("hex"), bodyBytes };
}

/** A page file cannot be read or decompressed, or its body does not match its header. */
export class DamagedPage extends Error {
  override readonly name = "DamagedPage";
}

const decompress = promisify(gunzip);

/** @throws DamagedPage if the file cannot be decompressed, or its body does not have the digest of its header */
export async function decompressPageFile(stored: Buffer, digest: string): Promise<Buffer<ArrayBuffer>> {
  const body = await decompress(stored).catch((cause: unknown) => {
    throw new DamagedPage("the page file cannot be decompressed", { cause });
  });
  if (digestBody(body) === digest) return body;
  throw new DamagedPage("the page file's body does not match the digest in its header");
}

/** A deflate block with up to 65,535 uncompressed bytes (RFC 1951, section 3.2.4), to follow a block that ends on a byte. */
function storedBlock(bytes: Buffer, isLast: boolean): Buffer {
  const block = Buffer.allocUnsafe(5 + bytes.length);
  block.writeUInt8(isLast ? 1 : 0, 0);
  block.writeUInt16LE(bytes.length, 1);
  block.writeUInt16LE(0xffff - bytes.length, 3);
  bytes.copy(block, 5);
  return block;
}

/** A page file, and the digest in its header. */
export type PageFile = { readonly stored: Buffer; readonly digest: string };

/** The page files of a release. Reads are synchronous for the same reason as in `Records`. */
export class PageFiles {
  readonly #folder: string;

  /** @param folder of the release */
  constructor(folder: string) {
    this.#folder = `${join(folder, parts.public)}/`;
  }

  /** The page file of a key; undefined if there is none. @throws DamagedPage if it exists and cannot be read, or its header is not valid */
  read(key: string): PageFile | undefined {
    const stored = this.#readFile(key);
    if (stored === undefined) return undefined;
    const digest = readPageFileDigest(stored);
    if (digest === undefined) throw new DamagedPage(`the header of ${key} is not valid`);
    return { stored, digest };
  }

  #readFile(key: string): Buffer | undefined {
    try {
      return readFileSync(this.#folder + key + storedEnding);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw new DamagedPage(`${key} cannot be read`, { cause: error });
    }
  }
}
