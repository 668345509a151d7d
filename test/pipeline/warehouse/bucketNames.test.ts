// Tests which objects of a bucket a warehouse's address names: the same as the files of a folder with these names.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../pipeline/base/failure.ts";
import { literalStart, selectObjects } from "../../../pipeline/warehouse/bucketNames.ts";
import { findFiles } from "../../../pipeline/warehouse/files.ts";
import { useFolder } from "./warehouse.fixture.ts";

const folder = useFolder();

const names = [
  ...[
    "grants/a.parquet",
    "grants/B.PARQUET",
    "grants/notes.txt",
    "grants/_SUCCESS",
    "grants/.hidden.parquet",
  ],
  ...["grants/_temporary/0/a.parquet", "grants/year=2020/part-0.parquet", "grants/year=2021/part-0.parquet"],
  ...["grants/year=2021/_started", "grants2/a.parquet", "grants/deep/er/c.parquet", "table.data"],
];

const patterns = [
  ...["grants", "grants/", "grants/*.parquet", "grants/**", "grants/**/*.parquet", "grants/year=202[01]"],
  ...[
    "grants/year=*/part-?.parquet",
    "gr*",
    "grants/_temporary",
    "table.data",
    "grants/a.parquet",
    "none",
    "grants/x*",
  ],
  ...["grants/[!a].parquet", "grants/_*/**", "*/a.parquet", "**/c.parquet", "grants/year=2021/*"],
];

describe("selectObjects", () => {
  it.each(patterns)("selects for %s what a folder with these files has", async (pattern) => {
    for (const name of names) {
      await mkdir(dirname(join(folder.home, name)), { recursive: true });
      await writeFile(join(folder.home, name), "");
    }
    const objects = [...names, "grants/", "grants/year=2020/"].map((name) => ({ name, bytes: 0 }));
    const listed = objects.filter(({ name }) => name.startsWith(literalStart(pattern)));
    const files = await findFiles(join(folder.home, pattern)).catch((error: unknown) => {
      expect(error).toBeInstanceOf(InputError);
      return [];
    });
    const expected = files.map((path) => path.slice(folder.home.length + 1));
    expect(
      selectObjects("WAREHOUSE", pattern, listed)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(expected);
  });

  it("refuses a glob that is not valid", () => {
    const refuse = () => selectObjects("WAREHOUSE", "grants/[z-a]", [{ name: "grants/b", bytes: 1 }]);
    expect(refuse).toThrow('WAREHOUSE: "[z-a]" is not a valid glob');
  });
});
