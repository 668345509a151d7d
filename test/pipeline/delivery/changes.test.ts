// Tests the changes that turn one release's public files into another's, against maps of all files.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countFiles, findDeletions, findUploads } from "../../../pipeline/delivery/changes.ts";
import { files, formatTables, funders, listPublic } from "../releases/tables.fixture.ts";

const release = fc.tuple(funders, files).map(([list, contents]) => {
  const tables = formatTables(list, contents);
  return { tables, all: listPublic(list, tables) };
});

describe("the changes between releases", () => {
  it("turn the files of one release into those of another one, and upload nothing that both have", () => {
    fc.assert(
      fc.property(release, release, (after, before) => {
        const held = new Map(before.all);
        for (const { key, row } of findUploads(after.tables, before.tables)) {
          const hex = Buffer.from(row).toString("hex");
          expect(held.get(key), key).not.toBe(hex);
          held.set(key, hex);
        }
        for (const key of findDeletions(after.tables, before.tables))
          expect(held.delete(key), key).toBe(true);
        const isAsset = (key: string) => key.startsWith("assets/");
        const left = [...held].filter(([key]) => after.all.has(key) || !isAsset(key));
        expect(new Map(left)).toEqual(after.all);
      }),
    );
  });

  it("upload funders by EIN, then other files in the order of their rows", () => {
    fc.assert(
      fc.property(release, release, (after, before) => {
        const keys = [...findUploads(after.tables, before.tables)].map(({ key }) => key);
        const order = [...after.all.keys()];
        expect(keys.map((key) => order.indexOf(key))).toEqual(
          keys.map((key) => order.indexOf(key)).sort((a, b) => a - b),
        );
      }),
    );
  });

  it("are all files if nothing is known", () => {
    fc.assert(
      fc.property(release, ({ tables, all }) => {
        expect([...findUploads(tables)].map(({ key }) => key)).toEqual([...all.keys()]);
        expect(countFiles(tables)).toBe(all.size);
      }),
    );
  });
});
