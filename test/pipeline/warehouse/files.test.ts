// Tests which files a path, a folder and a glob name.
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findFiles, formatPaths } from "../../../pipeline/warehouse/files.ts";
import { useFolder } from "./warehouse.fixture.ts";

const folder = useFolder();

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder.home, name)), { recursive: true });
    await writeFile(join(folder.home, name), "");
  }
}

/** What is found, relative to the test's folder. */
async function find(source: string): Promise<string[]> {
  return (await findFiles(join(folder.home, source))).map((path) => relative(folder.home, path));
}

describe("findFiles in a folder", () => {
  it("finds every .parquet file below it, sorted by code unit", async () => {
    await put(
      "b.parquet",
      "a.parquet",
      "C.PARQUET",
      "year=2020/x.parquet",
      "year=2019/m/x.snappy.parquet",
      "é.parquet",
    );
    expect(await find(".")).toEqual([
      "C.PARQUET",
      "a.parquet",
      "b.parquet",
      "year=2019/m/x.snappy.parquet",
      "year=2020/x.parquet",
      "é.parquet",
    ]);
  });

  it("skips hidden names, names with _ and other endings", async () => {
    await put(
      "a.parquet",
      "_SUCCESS",
      ".a.parquet.crc",
      ".h.parquet",
      "_p.parquet",
      "a.csv",
      "b.parquet.tmp",
    );
    await put("_temporary/a.parquet", ".git/a.parquet", "sub/_x/a.parquet", "parquet");
    expect(await find(".")).toEqual(["a.parquet"]);
  });

  it("finds files in a folder that is hidden itself or ends like a file", async () => {
    await put(".data/grants.parquet/part-0.parquet");
    expect(await find(".data")).toEqual([".data/grants.parquet/part-0.parquet"]);
    expect(await find(".data/grants.parquet/")).toEqual([".data/grants.parquet/part-0.parquet"]);
  });

  it("follows links, reads no file twice and does not loop", async () => {
    await put("out/of/it.parquet", "in/a.parquet", "in/deep/b.parquet");
    await symlink(join(folder.home, "out"), join(folder.home, "in/out"));
    await symlink("a.parquet", join(folder.home, "in/latest.parquet"));
    await symlink("..", join(folder.home, "in/deep/up"));
    await symlink("deep", join(folder.home, "in/same"));
    expect(await find("in")).toEqual(["in/a.parquet", "in/deep/b.parquet", "in/out/of/it.parquet"]);
  });

  it("resolves a path from the working folder", async () => {
    await put("a.parquet");
    expect(await findFiles(relative(process.cwd(), folder.home))).toEqual([join(folder.home, "a.parquet")]);
  });

  it("refuses one without Parquet files", async () => {
    await put("a.csv", "_b.parquet");
    expect(await folder.refusal(findFiles(folder.home))).toBe(
      'WAREHOUSE "": no Parquet files (*.parquet) in ""',
    );
  });
});

describe("findFiles of one file", () => {
  it("accepts any name", async () => {
    await put("a.parquet", "_grants.pq", "b.parquet");
    expect(await find("_grants.pq")).toEqual(["_grants.pq"]);
  });

  it("refuses what does not exist", async () => {
    await put("a.parquet");
    for (const name of [
      "none",
      "none.parquet",
      "none/deep/x.parquet",
      "a.parquet/x.parquet",
      "x".repeat(300),
    ]) {
      expect(await folder.refusal(findFiles(join(folder.home, name)))).toBe(
        `WAREHOUSE "/${name}": no such file or folder`,
      );
    }
  });

  it("refuses a URL and says which URLs are supported", async () => {
    expect(await folder.refusal(findFiles("https://bucket/x"))).toMatch(
      /^WAREHOUSE "https:.*no such file or folder \(of all URLs, only s3:/,
    );
  });

  it("refuses an empty setting", async () => {
    expect(await folder.refusal(findFiles(" "))).toMatch(
      /^WAREHOUSE must name a Parquet file, a folder or a glob, got ""/,
    );
  });

  it("refuses a link to itself", async () => {
    await symlink("loop", join(folder.home, "loop"));
    expect(await folder.refusal(findFiles(join(folder.home, "loop")))).toBe(
      '"/loop" cannot be read: it is a link to itself',
    );
  });

  it("refuses a path that DuckDB would read as a glob", async () => {
    await put("a\\[1].parquet");
    expect(await folder.refusal(findFiles(folder.home))).toMatch(
      /"\/a\\\[1\]\.parquet" cannot be read, because the path contains both "\\" and one of/,
    );
    await rm(join(folder.home, "a\\[1].parquet"));
    await put("a\\1.parquet");
    expect(await find(".")).toEqual(["a\\1.parquet"]);
  });
});

describe("findFiles of a glob", () => {
  const names = [
    "a1.parquet",
    "a2.parquet",
    "b.pq",
    "_c.parquet",
    ".d.parquet",
    "x/a1.parquet",
    "x/_y/z/a1.parquet",
  ];

  it.each([
    ["*.parquet", ["a1.parquet", "a2.parquet"]],
    ["*.pq", ["b.pq"]],
    ["a?.parquet", ["a1.parquet", "a2.parquet"]],
    ["a[2-9].parquet", ["a2.parquet"]],
    ["a[!2-9].parquet", ["a1.parquet"]],
    ["a[^2-9].parquet", ["a1.parquet"]],
    ["*/a1.parquet", ["x/a1.parquet"]],
    ["**/a1.parquet", ["a1.parquet", "x/a1.parquet"]],
    ["**/z/*.parquet", ["x/y/z/1.parquet"]],
    ["x/**", ["x/a1.parquet", "x/y/z/1.parquet"]],
    ["x/*/**/*.parquet", ["x/y/z/1.parquet"]],
    ["[x]", ["x/a1.parquet", "x/y/z/1.parquet"]],
    ["_*", ["_c.parquet"]],
    [".d*", [".d.parquet"]],
    ["x/_y/*/*", ["x/_y/z/a1.parquet"]],
    ["*", ["a1.parquet", "a2.parquet", "b.pq", "x/a1.parquet", "x/y/z/1.parquet"]],
  ])("reads %s", async (glob, found) => {
    await put(...names, "x/y/z/1.parquet");
    expect(await find(glob)).toEqual(found);
  });

  it("reads an existing file or folder of that name literally", async () => {
    await put("a[1].parquet", "a1.parquet", "d[1]/x.parquet", "d1/x.parquet", "*/y.parquet");
    expect(await find("a[1].parquet")).toEqual(["a[1].parquet"]);
    expect(await find("d[1]")).toEqual(["d[1]/x.parquet"]);
    expect(await find("d[1]/*.parquet")).toEqual(["d[1]/x.parquet"]);
    expect(await find("*/y.parquet")).toEqual(["*/y.parquet"]);
  });

  it("gives no special meaning to characters other than * ? [", async () => {
    await put("{a,b}(1)+.$^|.parquet", "a.parquet", "[.parquet", "[].parquet");
    expect(await find("{a,b}(1)+.$^|*")).toEqual(["{a,b}(1)+.$^|.parquet"]);
    expect(await find("[*")).toEqual(["[.parquet", "[].parquet"]);
    expect(await find("[]*")).toEqual(["[].parquet"]);
    expect(await find("[[]*")).toEqual(["[.parquet", "[].parquet"]);
    expect(await find("[]a]*")).toEqual(["a.parquet"]);
  });

  it("refuses one that matches nothing or is not valid", async () => {
    await put("a.parquet");
    expect(await folder.refusal(findFiles(join(folder.home, "b*")))).toBe(
      'WAREHOUSE "/b*": no file or folder matches this glob',
    );
    expect(await folder.refusal(findFiles(join(folder.home, "b/*.parquet")))).toContain(
      "no file or folder matches this glob",
    );
    expect(await folder.refusal(findFiles(join(folder.home, "[z-a].parquet")))).toContain(
      '"[z-a].parquet" is not a valid glob',
    );
  });

  it("skips organizations.parquet and finances.parquet in folders and in what a glob matches", async () => {
    await put("w/a.parquet", "w/organizations.parquet", "w/x/organizations.parquet", "w/finances.parquet");
    for (const source of ["w", "w/*.parquet", "*", "**/*.parquet"])
      expect(await find(source), source).toEqual(["w/a.parquet"]);
    expect(await folder.refusal(findFiles(join(folder.home, "w/x")))).toContain("no Parquet files");
  });

  it("finds any name if its special characters are in classes", async () => {
    const name = fc
      .string({ unit: fc.constantFrom(..."ab*?[]!^-{}(),. '\"$é😀"), minLength: 1, maxLength: 12 })
      .map((text) => `n${text}`);
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        await put(`${text}.parquet`);
        expect(await find(`${text.replace(/[*?[]/g, "[$&]")}.parquet`)).toEqual([`${text}.parquet`]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("formatPaths", () => {
  it("names five and counts the others", () => {
    expect(formatPaths(["a"])).toBe('"a"');
    expect(formatPaths([..."abcde"])).toBe('"a", "b", "c", "d", "e"');
    expect(formatPaths([..."abcdefg"])).toBe('"a", "b", "c", "d", "e" and 2 more');
  });
});

describe("findFiles in a table of another format", () => {
  it.each([
    ["a Delta Lake", "_delta_log/00000000000000000000.json", "delta"],
    ["a Hudi", ".hoodie/hoodie.properties", "hudi"],
    ["an Iceberg", "metadata/00001-a.metadata.json", "iceberg"],
    ["an Iceberg", "metadata/v2.gz.metadata.json", "iceberg"],
  ])("names it and how to export a snapshot: %s, %s", async (name, marker, format) => {
    await put("w/table/data/year=2020/part-0.parquet", `w/table/${marker}`);
    await symlink(join(folder.home, "w/table/data"), join(folder.home, "link"));
    for (const source of [
      "w",
      "w/table",
      "w/table/data/year=*/*.parquet",
      "w/table/data/year=2020/part-0.parquet",
      "link",
    ]) {
      const message = await folder.refusal(findFiles(join(folder.home, source)));
      expect(message).toMatch(
        `WAREHOUSE "/${source}": "/w/table/" is ${name} table, whose files also have rows that were deleted`,
      );
      expect(message).toContain(`spark.read.format("${format}").load("/w/table/")`);
    }
  });

  it("does not mind an empty folder of that name, or one beside the warehouse", async () => {
    await put("w/a.parquet", "w/metadata/notes.json", "other/_delta_log/0.json", "other/b.parquet");
    await mkdir(join(folder.home, "w/_delta_log"));
    expect(await find("w")).toEqual(["w/a.parquet"]);
  });
});
