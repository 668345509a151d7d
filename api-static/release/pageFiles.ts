// Reads page files by their keys.
import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { storedEnding } from "../contract/pageKeys.ts";
import { readPageFileDigest } from "../contract/storedPage.ts";
import { type Bytes, copyBytes } from "./bytes.ts";
import { parts } from "./layout.ts";
import { DamagedPage } from "./pageFileFormat.ts";
import { type Pace, ReadPace } from "./readPace.ts";
import { systemCode } from "./systemErrors.ts";

/** A page file, and the digest in its header; undefined if the header is not valid. */
export type PageFile = { readonly stored: Bytes; readonly digest: string | undefined };

/** Bytes of a buffer for a file. Larger files are rare: a page of 1,000 records has about 50 KB. */
const usualBytes = 128 * 1024;

/** The buffer for synchronous reads. */
const scratch = Buffer.allocUnsafeSlow(usualBytes);

/** Unused buffers for reads in the thread pool. */
const spares: Buffer[] = [];
const maxSpares = 16;

/** The page files of a release, read like the windows of `Records`. No system call asks for their sizes. */
export class PageFiles {
  readonly #folder: string;
  readonly #pace: Pace;

  /** @param folder of the release */
  constructor(folder: string, pace: Pace = new ReadPace()) {
    this.#folder = `${join(folder, parts.public)}/`;
    this.#pace = pace;
  }

  /** The page file of a key; undefined if there is none. @throws DamagedPage if it exists and cannot be read */
  read(key: string): PageFile | undefined | Promise<PageFile | undefined> {
    const path = this.#folder + key + storedEnding;
    if (!this.#pace.isQuick()) return readInPool(path).catch(explain);
    try {
      return this.#pace.time(() => readAtOnce(path));
    } catch (error) {
      return explain(error);
    }
  }
}

/** Returns undefined if there is no such file. @throws DamagedPage for any other error */
function explain(error: unknown): undefined {
  if (systemCode(error) === "ENOENT") return undefined;
  throw new DamagedPage("the page file cannot be read", { cause: error });
}

function readAtOnce(path: string): PageFile {
  const file = fs.openSync(path, "r");
  try {
    const length = fs.readSync(file, scratch, 0, usualBytes, 0);
    return copyFile(length < usualBytes ? scratch.subarray(0, length) : fs.readFileSync(file));
  } finally {
    fs.closeSync(file);
  }
}

const open = promisify(fs.open);
const read = promisify(fs.read);
const readFile = promisify(fs.readFile);

async function readInPool(path: string): Promise<PageFile> {
  const file = await open(path, "r");
  const memory = spares.pop() ?? Buffer.allocUnsafeSlow(usualBytes);
  try {
    const { bytesRead } = await read(file, memory, 0, usualBytes, 0);
    return copyFile(bytesRead < usualBytes ? memory.subarray(0, bytesRead) : await readFile(file));
  } finally {
    fs.closeSync(file); // as fast as in the pool
    if (spares.length < maxSpares) spares.push(memory);
  }
}

function copyFile(bytes: Buffer): PageFile {
  return { stored: copyBytes(bytes), digest: readPageFileDigest(bytes) };
}
