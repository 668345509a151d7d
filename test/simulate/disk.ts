// Remembers what was flushed of a folder, so that a power cut can take the rest.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { pick, type Random } from "../../pipeline/verify/random.ts";

// The calls as they are before `watchOperations` replaces them.
const {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} = fs;

/** A name that was given, and is not on the disk before its folder is flushed. `from` is the name before, unless it is a new link. */
type Renamed = { to: string; from: string | undefined; readonly restore: () => void };

/**
 * The files below a folder. A power cut takes half of each file that was not flushed since it was written, and the newest changes of
 * names whose folders were not flushed: file systems may write content, names and removals in any order. Removals are on the disk at once.
 */
export class Disk {
  readonly root: string;
  readonly #kept: string;
  readonly #random: Random;
  /** Time of the last change, and size, of each flushed file, by inode. */
  readonly #flushed = new Map<number, string>();
  #renamed: Renamed[] = [];
  #count = 0;

  /** @param kept a folder for replaced files, on the same file system */
  constructor(root: string, kept: string, random: Random) {
    this.root = root;
    this.#kept = kept;
    this.#random = random;
    for (const folder of [root, kept]) mkdirSync(folder, { recursive: true });
  }

  /** Does a call of the file system, and remembers how to undo it if it changes a name. */
  async change<Result>(name: string, paths: readonly string[], call: () => Promise<Result>): Promise<Result> {
    const [first = "", second = ""] = paths;
    if (name === "writeFile") {
      const result = await call();
      if ((paths[2] as { flush?: boolean } | undefined)?.flush === true) this.flush(first);
      return result;
    }
    const [from, to] = name === "rename" ? [first, second] : name === "symlink" ? [undefined, second] : [];
    if (to === undefined || !to.startsWith(this.root)) return call();
    const restore = this.#keep(to);
    const result = await call();
    if (from !== undefined)
      for (const named of this.#renamed)
        if (named.to.startsWith(`${from}/`)) named.to = to + named.to.slice(from.length); // a folder takes its names along
    this.#renamed.push({ to, from, restore });
    return result;
  }

  /** Keeps what is at a path. Returns how to restore it. */
  #keep(path: string): () => void {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) {
      const target = readlinkSync(path);
      return () => symlinkSync(target, path);
    }
    if (!found?.isFile()) return () => {};
    const kept = join(this.#kept, String(this.#count++));
    linkSync(path, kept);
    return () => renameSync(kept, path);
  }

  /** A file's content, or a folder's list of names, is on the disk. */
  flush(path: string): void {
    const found = lstatSync(path);
    if (found.isFile()) this.#flushed.set(found.ino, `${found.mtimeMs} ${found.size}`);
    else this.#renamed = this.#renamed.filter(({ to }) => dirname(to) !== path);
  }

  /** Leaves half of a text, whose writing failed, at a path. */
  tear(path: string, text: string): void {
    writeFileSync(path, text.slice(0, text.length / 2));
  }

  flushAll(): void {
    for (const path of this.#files()) this.flush(path);
    this.#renamed = [];
  }

  /** Leaves what a power cut leaves. */
  cutPower(): void {
    const undone = pick(this.#random, [0, Math.floor(this.#random() * this.#renamed.length)]);
    for (const named of this.#renamed.slice(undone).reverse()) undo(named);
    const torn = [...this.#files()].filter((path) => {
      const { ino, mtimeMs, size } = lstatSync(path);
      return this.#flushed.get(ino) !== `${mtimeMs} ${size}`;
    });
    for (const path of torn.sort()) truncateSync(path, Math.floor(lstatSync(path).size * this.#random()));
    this.flushAll();
  }

  *#files(folder = this.root): Generator<string> {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) yield* this.#files(join(folder, entry.name));
      else if (entry.isFile()) yield join(folder, entry.name);
  }
}

/** Undoes a change of a name. If its place before was removed or taken meanwhile, what had it is lost. */
function undo({ to, from, restore }: Renamed): void {
  if (!exists(to)) return;
  const isLost = from === undefined || !exists(dirname(from)) || exists(from);
  if (isLost) rmSync(to, { recursive: true });
  else renameSync(to, from);
  restore();
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
