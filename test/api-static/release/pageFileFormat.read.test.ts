// Tests the reader of page files: it returns a file's bytes and digest, of any size, and reports a file that cannot be read.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  compressLines,
  DamagedPage,
  formatPageFile,
  PageFiles,
} from "../../../api-static/release/pageFileFormat.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "page-files-"));
});

afterEach(() => rm(folder, { recursive: true }));

const line = Buffer.from("{},\n");
const page = formatPageFile({ total: 1, limit: 100, offset: 0 }, line, [compressLines(line.subarray(0, 2))]);

/** A page file that is longer by this many bytes, all of one value. */
const longer = (bytes: number, value = 0) => Buffer.concat([...page.pieces, Buffer.alloc(bytes, value)]);

async function write(key: string, bytes: Buffer): Promise<void> {
  const path = join(folder, "public", `${key}.gz`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}

describe("reading a page file", () => {
  it("returns a file's bytes and digest, whatever its size", async () => {
    const files = new PageFiles(folder);
    const header = longer(0).length;
    const sizes = [header, 1_000, 65_536, 131_071, 131_072, 131_073, 1_000_000];
    for (const size of sizes) {
      await write(`v1/a/${size}.json`, longer(size - header, size % 251));
      const file = await files.read(`v1/a/${size}.json`);
      expect(file?.stored.equals(longer(size - header, size % 251)), String(size)).toBe(true);
      expect(file?.digest).toBe(page.digest);
    }
  });

  it("returns nothing for an absent file, and finds it once it exists", async () => {
    const files = new PageFiles(folder);
    expect(await files.read("d")).toBeUndefined();
    await write("d", longer(1));
    expect(await files.read("d")).toBeDefined();
  });

  it("fails if a file has no valid header, and finds the digest once it is repaired", async () => {
    const files = new PageFiles(folder);
    await write("e", Buffer.from("not a page"));
    await expect(async () => files.read("e")).rejects.toThrow(
      new DamagedPage("the header of e is not valid"),
    );
    await write("e", longer(0));
    expect((await files.read("e"))?.digest).toBe(page.digest);
  });

  it("fails if a file exists and cannot be read", async () => {
    const files = new PageFiles(folder);
    await mkdir(join(folder, "public/f.gz"), { recursive: true });
    await expect(async () => files.read("f")).rejects.toThrow(new DamagedPage("f cannot be read"));
  });
});
