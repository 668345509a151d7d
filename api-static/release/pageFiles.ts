// Reads page files by their keys.
import fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { storedEnding } from "../contract/pageKeys.ts";
import { type Bytes, copyBytes } from "./bytes.ts";
import { parts } from "./layout.ts";
import { DamagedPage, readPageFileDigest } from "./pageFileFormat.ts";
import { ReadPace } from "./readPace.ts";
import { systemCode } from "./systemErrors.ts";

/** A page file, and the digest of its body as the file's header has it; undefined if the header is not valid. */
export type PageFile = { readonly stored: Bytes; readonly digest: string | undefined };

/** Larger files are rare: a page of 1,000 records has about 50 KB. */
const usualBytes = 128 * 1024;

/** Holds a file that is read at once. */
const scratch = Buffer.allocUnsafeSlow(usualBytes);

/** Hold files that are read in the thread pool. */
const spares: Buffer[] = [];
const maxSpares = 16;

/**
 * The page files of a release. Like windows of `Records`, they are read at once if most are in the page cache, otherwise in the
 * thread pool. Their size is not asked for first.
 */
export class PageFiles {
  readonly #folder: string;
  readonly #pace: Pick<ReadPace, "isQuick" | "time">;

  /**
   * @param folder the release's folder
   * @param pace decides how files are read
   */
  constructor(folder: string, pace: Pick<ReadPace, "isQuick" | "time"> = new ReadPace()) {
    this.#folder = `${join(folder, parts.public)}/`;
    this.#pace = pace;
  }

  /**
   * The file's bytes; undefined if there is no file.
   * @throws DamagedPage if the file exists and cannot be read
   */
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

/** Returns undefined if the error is that a file is absent. @throws DamagedPage for any other error */
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
    fs.closeSync(file); // takes no longer than a detour through the pool
    if (spares.length < maxSpares) spares.push(memory);
  }
}

function copyFile(bytes: Buffer): PageFile {
  return { stored: copyBytes(bytes), digest: readPageFileDigest(bytes) };
}
