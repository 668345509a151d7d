// Tests the cache of page files: it returns the files' bytes, stays within its bound, and keeps nothing damaged.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PageFileCache } from "../../../api-static/release/pageFileCache.ts";
import { compressLines, DamagedPage, formatPageFile } from "../../../api-static/release/pageFileFormat.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "page-files-"));
});

afterAll(() => rm(folder, { recursive: true }));

const line = Buffer.from("{},\n");
const page = formatPageFile({ total: 1, limit: 100, offset: 0 }, line, [compressLines(line.subarray(0, 2))]);

/** A page file that is longer by this many kilobytes. */
const longer = (kilobytes: number) => Buffer.concat([...page.pieces, Buffer.alloc(kilobytes * 1024)]);

async function write(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

it("returns a file's bytes and digest, also from memory after the file is removed", async () => {
  const files = new PageFileCache(100_000);
  const path = await write("a", longer(1));
  for (let time = 0; time < 2; time++) {
    expect(await files.read(path)).toStrictEqual({ stored: longer(1), digest: page.digest });
    await rm(path, { force: true });
  }
});

it("returns nothing for an absent file, and finds it once it exists", async () => {
  const files = new PageFileCache(100_000);
  expect(await files.read(join(folder, "b"))).toBeUndefined();
  const path = await write("b", longer(1));
  expect(await files.read(path)).toBeDefined();
});

it("stays within its bound, drops the least recently used file first, and skips a file that is larger", async () => {
  const files = new PageFileCache(100 * 1024);
  const sizes = { c: 40, d: 40, e: 40, f: 200 };
  const paths = await Promise.all(Object.entries(sizes).map(([name, size]) => write(name, longer(size))));
  const [c = "", d = "", e = "", f = ""] = paths;
  for (const path of [c, d, c, e, f]) await files.read(path); // there is no room for three, or for the last one
  for (const path of paths) await rm(path);
  const kept = await Promise.all(paths.map(async (path) => (await files.read(path)) !== undefined));
  expect(kept).toStrictEqual([true, false, true, false]);
});

it("counts the memory that a file takes beyond its bytes", async () => {
  const files = new PageFileCache(10_000);
  const paths = await Promise.all(
    Array.from({ length: 100 }, (_, index) => write(`small${index}`, longer(0))),
  );
  for (const path of paths) await files.read(path);
  for (const path of paths) await rm(path);
  const kept = await Promise.all(paths.map((path) => files.read(path)));
  expect(kept.filter((file) => file !== undefined).length).toBeLessThan(10);
});

it("does not keep a damaged page file, because it may be repaired", async () => {
  const files = new PageFileCache(100_000);
  const path = await write("g", Buffer.from("not a page"));
  expect(await files.read(path)).toStrictEqual({ stored: Buffer.from("not a page"), digest: undefined });
  await write("g", longer(0));
  expect((await files.read(path))?.digest).toBe(page.digest);
});

it("keeps nothing if its bound is 0", async () => {
  const files = new PageFileCache(0);
  const path = await write("h", longer(0));
  expect(await files.read(path)).toBeDefined();
  await rm(path);
  expect(await files.read(path)).toBeUndefined();
});

it("fails if a file exists and cannot be read", async () => {
  await expect(new PageFileCache(100).read(folder)).rejects.toThrow(DamagedPage);
});
