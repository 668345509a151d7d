// Tests which files FROM names, how loose files are grouped, and when a file is read again.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { findKnownDigests, findSources, type Source } from "../../../pipeline/irs/sources.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { putZip } from "./season.fixture.ts";

const folder = useFolder();

const sourcesModule = new URL("../../../pipeline/irs/sources.ts", import.meta.url).href;
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

describe("loose XML files", () => {
  const nameOf = (index: number) => `2023${String(index * 7919).padStart(14, "0")}_public.xml`;
  const putLoose = (index: number) => writeFile(join(folder.home, nameOf(index)), String(index));

  it("are read in groups, and one more file changes only its own group", async () => {
    for (let index = 0; index < 3_000; index += 1) if (index !== 1_500) await putLoose(index);
    const before = await find(folder.home);
    expect(before.length).toBeGreaterThan(5);
    expect(before.flatMap(({ paths }) => paths).length).toBe(2_999);
    await putLoose(1_500);
    const after = await find(folder.home);
    const known = new Set(before.map(({ digest }) => digest));
    const changed = after.filter(({ digest }) => !known.has(digest));
    expect(changed.map(({ paths }) => paths.includes(join(folder.home, nameOf(1_500))))).toEqual([true]);
    expect(after.flatMap(({ paths }) => paths).length).toBe(3_000);
  });

  it("of more than 1,024 in a row are cut", async () => {
    // No hash of these names ends a group.
    const isEnd = (name: string) => hash("sha256", name, "buffer")[0] === 0;
    const indexes = Array.from({ length: 1_100 }, (_, index) => index).filter(
      (index) => !isEnd(nameOf(index)),
    );
    for (const index of indexes) await putLoose(index);
    const sizes = (await find(folder.home)).map(({ paths }) => paths.length);
    expect(sizes.sort((a, b) => b - a)).toEqual([1_024, indexes.length - 1_024]);
  });

  it("are found by a process that may open 64 files", async () => {
    for (let index = 0; index < 200; index += 1) await putLoose(index);
    const script = `import { findSources } from ${JSON.stringify(sourcesModule)};
      const progress = { run: (name, total, unit, work) => work(() => {}) };
      const found = await findSources(${JSON.stringify(folder.home)}, ${JSON.stringify(digestsPath())}, { threads: 2, progress });
      console.log(found.flatMap(({ paths }) => paths).length);`;
    const shell = ["-c", 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, script];
    expect(execFileSync("sh", shell, { encoding: "utf8" })).toBe("200\n");
  });
});

describe("a file", () => {
  it("is read again if only its time of change differs, because it was repaired", async () => {
    const time = new Date("2026-01-01"); // the same for both: the file system keeps fractions of a millisecond
    const putAt = async (content: string) => {
      const path = await put("a.zip", content);
      await utimes(path, time, time);
      return find(path);
    };
    const [[first], [second]] = [await putAt("good"), await putAt("evil")];
    expect(second?.bytes).toBe(first?.bytes);
    expect(second?.digest).not.toBe(first?.digest);
  });

  it("is not read again if nothing changed", async () => {
    const path = await put("a.zip", "1");
    const [first] = await find(path);
    const kept = JSON.parse(await readFile(digestsPath(), "utf8"));
    await writeFile(digestsPath(), JSON.stringify(kept).replaceAll(first?.digest ?? "", "kept"));
    expect((await find(path)).map(({ digest }) => digest)).toEqual(["kept"]);
  });

  it("that cannot be read is named with all others, up to 20", async () => {
    for (let index = 10; index < 32; index += 1) await truncate(await put(`${index}.zip`, "content"), 60);
    await writeFile(join(folder.home, "page.zip"), "<html>moved</html>");
    await put("good.zip", "good");
    const message = await folder.refusal(find(folder.home));
    expect(message).toMatch(
      /"\/10\.zip" cannot be read: its end is missing, or it is not a zip file\n.*"\/11\.zip"/,
    );
    expect(message).toMatch(/"\/29\.zip" [^\n]*\n {2}and 3 more$/);
    await rm(join(folder.home, "10.zip"));
    expect(await folder.refusal(find(`${folder.home}/page.zip ${folder.home}/11.zip`))).toContain(
      '"/page.zip" is a web page, not a zip or an XML file',
    );
  });
});

describe("a file that is not what its name says", () => {
  const error = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>';

  it.each([
    ["a.zip", error, "is XML of another kind (<Error>), not a zip"],
    ["a.zip", "\x1f\x8b\b", "is compressed by gzip, not a zip"],
    ["a.ZIP", "\n", "is empty, not a zip"],
    ["a.zip", "something", "cannot be read: its end is missing, or it is not a zip file"],
    ["a.txt", error, "is XML of another kind (<Error>), not a zip"],
    ["a.xml", "PK\x03\x04 cut off", "cannot be read: its end is missing"],
  ])("is refused by name: %s with %j", async (name, content, message) => {
    const path = join(folder.home, name);
    await writeFile(path, content, "latin1");
    expect(await folder.refusal(find(path))).toContain(`"/${name}" ${message}`);
  });

  it("is read if it has returns", async () => {
    const xml = '<?xml version="1.0"?><irs:Return xmlns:irs="http://www.irs.gov/efile"/>';
    for (const name of ["return.zip", "return.txt"]) await writeFile(join(folder.home, name), xml);
    await put("zip.xml", "1");
    const prefixed = join(folder.home, await put("prefixed.zip", "2").then(() => "prefixed.zip"));
    await writeFile(prefixed, Buffer.concat([Buffer.from("<br />"), await readFile(prefixed)]));
    const found = await find(
      ["return.zip", "return.txt", "zip.xml", "prefixed.zip"]
        .map((name) => join(folder.home, name))
        .join(" "),
    );
    expect(found.map(({ name, isZip }) => `${name} ${isZip}`).sort()).toEqual([
      "loose XML files false",
      "prefixed.zip true",
      "zip.xml true",
    ]);
  });

  it("is inspected again if an earlier version took it for XML", async () => {
    const path = await put("a.zip", "1");
    await find(path);
    const kept = await readFile(digestsPath(), "utf8");
    await writeFile(digestsPath(), kept.replace('"isZip": true', '"isZip": false'));
    expect((await find(path)).map(({ isZip }) => isZip)).toEqual([true]);
  });
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
