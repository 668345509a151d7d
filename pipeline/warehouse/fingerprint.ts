// Detects changed and truncated warehouse files.
import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import pLimit from "p-limit";
import { InputError } from "../base/failure.ts";
import { filesAtOnce, rethrowNamed } from "../base/paths.ts";

/** Size, time of the last change (ISO, UTC) and SHA-256 of the footer (hex). */
export type Fingerprint = { readonly bytes: number; readonly modifiedAt: string; readonly footer: string };

/** Bytes read at a time: the file may claim a footer of any length. */
const footerChunkBytes = 1_048_576;

const magic = "PAR1";
const encryptedMagic = "PARE";
/** The magic at both ends, and the length of the footer. */
const minBytes = 12;

/**
 * Returns the fingerprint of the Parquet file at `path`. Reads only both ends of it.
 * @throws InputError that names the file if it is missing, unreadable, not Parquet, truncated or encrypted
 *
 * Format: https://parquet.apache.org/docs/file-format/ ("PAR1", data, footer, 4-byte length of the footer, "PAR1").
 */
export async function fingerprintFile(path: string): Promise<Fingerprint> {
  let file: FileHandle | undefined;
  try {
    // Checked before opening: opening a named pipe waits for a writer.
    if (!(await stat(path)).isFile()) throw new InputError(`"${path}" is not a regular file`);
    file = await open(path, "r");
    const { size, mtime } = await file.stat();
    return { bytes: size, modifiedAt: mtime.toISOString(), footer: await digestFooter(file, size, path) };
  } catch (error) {
    return rethrowNamed(path)(error);
  } finally {
    await file?.close();
  }
}

/** Returns the fingerprint of each file, or the InputError that explains why it has none, in the order of `paths`. */
export async function fingerprintFiles(paths: readonly string[]): Promise<(Fingerprint | InputError)[]> {
  return pLimit(filesAtOnce).map(paths, async (path) => {
    try {
      return await fingerprintFile(path);
    } catch (error) {
      if (error instanceof InputError) return error;
      throw error;
    }
  });
}

async function digestFooter(file: FileHandle, bytes: number, path: string): Promise<string> {
  if (bytes === 0) throw new InputError(`"${path}" is empty; expected a Parquet file`);
  const head = (await readBytes(file, 0, Math.min(4, bytes), path)).toString("latin1");
  if (head === encryptedMagic) throw new InputError(`"${path}" is encrypted; expected plain Parquet`);
  if (head !== magic)
    throw new InputError(`"${path}" is not a Parquet file: it does not start with "${magic}"`);
  const tail = bytes < minBytes ? undefined : await readBytes(file, bytes - 8, 8, path);
  if (tail?.toString("latin1", 4) !== magic) {
    throw new InputError(`"${path}" is truncated: it starts as Parquet but does not end with "${magic}"`);
  }
  const footerBytes = tail.readUInt32LE(0);
  if (footerBytes === 0 || footerBytes > bytes - minBytes) {
    throw new InputError(
      `"${path}" is damaged: it has ${bytes} bytes but claims a footer of ${footerBytes} bytes`,
    );
  }
  const hash = createHash("sha256");
  for (let start = bytes - 8 - footerBytes; start < bytes; start += footerChunkBytes) {
    hash.update(await readBytes(file, start, Math.min(footerChunkBytes, bytes - start), path));
  }
  return hash.digest("hex");
}

async function readBytes(file: FileHandle, start: number, length: number, path: string): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, start + filled);
    if (bytesRead === 0) throw new InputError(`"${path}" became shorter while it was read`);
    filled += bytesRead;
  }
  return buffer;
}
