// Computes the digests of files in worker threads.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { type BlockOrder, type BlockThreads, newBlockOrder } from "./blocks.ts";

/** The files; each is a block. */
type DigestOrder = BlockOrder & { readonly paths: readonly string[] };

/** A file's place in the order, and its SHA-256 in hex. */
type DigestedFile = { readonly index: number; readonly digest: string };

/**
 * The SHA-256 of each file in hex.
 * @param onDone called with the index of each file that was read
 */
export async function digestFiles(
  paths: readonly string[],
  threads: BlockThreads,
  onDone: (index: number) => void = () => {},
): Promise<string[]> {
  const digests: string[] = [];
  const order: DigestOrder = { ...newBlockOrder(paths.length), paths };
  await threads.run(new URL(import.meta.url), order, ({ index, digest }: DigestedFile) => {
    digests[index] = digest;
    onDone(index);
  });
  return digests;
}

/** Digests the files of the blocks; `BlockThreads` calls it. */
export function* work({ paths }: DigestOrder, blocks: Iterable<number>): Generator<DigestedFile> {
  for (const index of blocks) yield { index, digest: digestFile(paths[index] as string) };
}

/** Bytes that are read at once. */
const chunkBytes = 1 << 18;

/** The SHA-256 of a file in hex. */
export function digestFile(path: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(chunkBytes); // one for all reads: a stream takes new memory for each
  const file = openSync(path, "r");
  try {
    for (;;) {
      const bytesRead = readSync(file, chunk, 0, chunkBytes, null);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    closeSync(file);
  }
}
