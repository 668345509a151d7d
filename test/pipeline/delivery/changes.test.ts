// Tests the changes that turn one release's public files into another's, against maps of all files.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countFiles, findChanges, listFiles } from "../../../pipeline/delivery/changes.ts";
import { files, formatTables, funders, listPublic } from "../releases/tables.fixture.ts";

const release = fc.tuple(funders, files).map(([list, contents]) => {
  const tables = formatTables(list, contents);
  return { tables, all: listPublic(list, tables) };
});

describe("the changes between releases", () => {
  it("turn whatever mix of earlier files a bucket holds into the release, and upload nothing that all have", () => {
    fc.assert(
      fc.property(release, fc.array(release, { maxLength: 3 }), fc.nat(), (after, earlier, seed) => {
        // Each key has the file of one of the releases that have it.
        const held = new Map<string, string>();
        for (const key of new Set(earlier.flatMap(({ all }) => [...all.keys()]))) {
          const rows = earlier.flatMap(({ all }) => all.get(key) ?? []);
          held.set(key, rows[seed % rows.length] ?? "");
        }
        const uploaded = new Set<string>();
        for (const { kind, key, row } of findChanges(
          after.tables,
          earlier.map(({ tables }) => tables),
        )) {
          if (kind === "delete") expect(held.delete(key), key).toBe(true);
          else {
            uploaded.add(key);
            held.set(key, Buffer.from(row).toString("hex"));
          }
        }
        const isAsset = (key: string) => key.startsWith("assets/");
        const left = [...held].filter(([key]) => after.all.has(key) || !isAsset(key));
        expect(new Map(left)).toEqual(after.all);
        for (const [key, row] of after.all) {
          const isKnown = earlier.length > 0 && earlier.every(({ all }) => all.get(key) === row);
          expect(uploaded.has(key), key).toBe(!isKnown);
        }
      }),
    );
  });

  it("upload funders by EIN, then other files in the order of their rows, and delete last", () => {
    fc.assert(
      fc.property(release, release, (after, before) => {
        const changes = [...findChanges(after.tables, [before.tables])];
        const kinds = changes.map(({ kind }) => kind);
        expect(kinds).toEqual([...kinds].sort((a, b) => (a > b ? -1 : 1)));
        const keys = changes.filter(({ kind }) => kind === "upload").map(({ key }) => key);
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
        expect([...listFiles(tables)].map(({ key }) => key)).toEqual([...all.keys()]);
        expect(countFiles(tables)).toBe(all.size);
      }),
    );
  });
});
