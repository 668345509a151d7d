// Tests which files FROM names, how loose files are grouped, and when a file is read again.
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { findKnownDigests, findSources, type Source } from "../../../pipeline/irs/sources.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { putZip } from "./season.fixture.ts";

const folder = useFolder();

const digestsPath = () => join(folder.home, "digests.json");

function find(from: string): Promise<Source[]> {
  const progress = new Progress({ write: () => undefined }, () => 0);
  return findSources(from, digestsPath(), { threads: 1, progress });
}

/** The paths of all sources below the test's folder, sorted. */
async function findFiles(from: string): Promise<string[]> {
  const sources = await find(from);
  return sources.flatMap(({ paths }) => paths.map((path) => relative(folder.home, path))).sort();
}

/** Writes a zip with one member of this content. */
async function put(path: string, content: string): Promise<string> {
  await mkdir(join(folder.home, path, ".."), { recursive: true });
  return putZip(folder.home, path, [{ name: "1_public.xml", content: Buffer.from(content) }]);
}

describe("FROM", () => {
  it("names a glob in a path with spaces, alone or as one of several words without", async () => {
    for (const path of ["my zips/a 1.zip", "my zips/a 2.zip", "b.zip"]) await put(path, path);
    expect(await findFiles(`${folder.home}/my zips/a *.zip`)).toEqual(["my zips/a 1.zip", "my zips/a 2.zip"]);
    expect(await findFiles(`${folder.home}/my zips`)).toEqual(["my zips/a 1.zip", "my zips/a 2.zip"]);
    expect(await findFiles(`${folder.home}/my?zips/*1.zip\n ${folder.home}/b.zip`)).toEqual([
      "b.zip",
      "my zips/a 1.zip",
    ]);
    expect(await folder.refusal(find(`${folder.home}/my zips/c*.zip`))).toContain("no such file or folder");
  });

  it.each(["", "/*", "/**/*"])(
    'leaves out hidden names and those of macOS, and no others: "FOLDER%s"',
    async (glob) => {
      const kept = ["_x.zip", "_y/z.zip"];
      for (const path of [...kept, ".hidden.zip", "._x.zip", ".git/a.zip", "__MACOSX/a.zip"])
        await put(path, path);
      expect(await findFiles(folder.home + glob)).toEqual(kept);
    },
  );
});

describe("known digests", () => {
  it("are those of this run and of the zips of earlier ones, until a zip is replaced", async () => {
    const [first] = await find(await put("a.zip", "1"));
    const others = await find(await put("b.zip", "2"));
    expect(await findKnownDigests(digestsPath(), others)).toEqual(
      new Set([first?.digest, others[0]?.digest]),
    );
    const again = await find(await put("a.zip", "longer"));
    expect(await findKnownDigests(digestsPath(), again)).toEqual(
      new Set([again[0]?.digest, others[0]?.digest]),
    );
  });
});
