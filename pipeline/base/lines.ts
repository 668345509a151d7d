// Reads a file of lines in blocks, so that even a file of millions of lines takes little memory.
import { createReadStream } from "node:fs";

export const lineFeed = "\n".charCodeAt(0);

/** The offset after each line feed. */
export function lineEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) ends.push(at + 1);
  return ends;
}

/** Bytes read at a time. */
const chunkBytes = 2 ** 20;

/**
 * The whole lines of a file, many at a time, each with its line feed. If the file does not end with a line feed, the last
 * block is the text after the last one.
 */
export async function* readLineBlocks(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) yield bytes.subarray(0, end);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) yield rest;
}
