// Owns the tests of page files in memory: the file's bytes whatever is kept, and the bound.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PageFiles } from "../../../api-static/server/pageFiles.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "page-files-"));
});

afterAll(() => rm(folder, { recursive: true }));

/** Writes a file of that many bytes. */
async function write(name: string, bytes: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, name.repeat(bytes));
  return path;
}

it("gives a file's bytes, again from memory when the disk has them no more", async () => {
  const files = new PageFiles(100);
  const path = await write("a", 50);
  expect(String(await files.read(path))).toBe("a".repeat(50));
  await rm(path);
  expect(String(await files.read(path))).toBe("a".repeat(50));
});

it("knows that a file is absent, and sees when it comes", async () => {
  const files = new PageFiles(100);
  expect(await files.read(join(folder, "b"))).toBeUndefined();
  const path = await write("b", 1);
  expect(String(await files.read(path))).toBe("b");
});

it("keeps no more than its bound, the least lately asked going first, and nothing that is larger", async () => {
  const files = new PageFiles(100);
  const [c, d, e, f] = [
    await write("c", 40),
    await write("d", 40),
    await write("e", 40),
    await write("f", 200),
  ];
  for (const path of [c, d, c, e, f]) await files.read(path); // no room for three, nor for the last
  for (const path of [c, d, e, f]) await rm(path);
  expect(await files.read(c)).toHaveLength(40);
  expect(await files.read(d)).toBeUndefined();
  expect(await files.read(e)).toHaveLength(40);
  expect(await files.read(f)).toBeUndefined();
});

it("keeps nothing when it may not", async () => {
  const files = new PageFiles(0);
  const path = await write("g", 1);
  expect(await files.read(path)).toHaveLength(1);
  await rm(path);
  expect(await files.read(path)).toBeUndefined();
});

it("fails when a file is there and cannot be read", async () => {
  await expect(new PageFiles(100).read(folder)).rejects.toThrow("EISDIR");
});
