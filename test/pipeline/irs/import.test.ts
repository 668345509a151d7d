// Tests that an import reads each zip once, and writes the same bytes whatever the order.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWhole } from "../../proofs.ts";
import { digestFolder } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { formatReturn, plainReturn } from "./returns.fixture.ts";
import {
  grantOf,
  importHere,
  importWell,
  member,
  memberName,
  objectId,
  putZip,
  readGrants,
  readStatuses,
} from "./season.fixture.ts";

const folder = useFolder();

/** Imports members as one zip; returns the warehouse's folder. */
async function importMembers(...entries: Parameters<typeof putZip>[2]): Promise<string> {
  const out = join(folder.home, "warehouse");
  await importWell(putZip(folder.home, "a.zip", entries), out);
  return out;
}

describe("an import", () => {
  const returns = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) =>
      member(objectId(1 + ((from + index) % 300), from + index), {
        ein: String(100_000_000 + ((from + index) % 97)),
        filedAt: new Date(Date.UTC(2023, 1, 1, 0, from + index)).toISOString(),
        grants: [grantOf(`R ${index}`, String(index)), grantOf("SAME", "5")],
      }),
    );

  it("writes the same bytes for the same zips in any order, with any number of threads", async () => {
    const zips = [
      putZip(folder.home, "a.zip", returns(40)),
      putZip(folder.home, "b.zip", returns(60, 20)),
      putZip(folder.home, "c.zip", returns(5, 400)),
    ];
    const digests: unknown[] = [];
    const orders = [
      [zips, "1"],
      [[zips[1], zips[2], zips[0], zips[1]], "2"],
      [zips.toReversed(), "2"],
    ] as const;
    for (const [order, threads] of isWhole ? orders : orders.slice(0, 2)) {
      const out = join(folder.home, `warehouse-${digests.length}`);
      await importWell(order.join(" "), out, { THREADS: threads });
      const { "report.json": report, "returns.parquet": list } = await digestFolder(`${out}.irs`);
      digests.push([await digestFolder(out), report, list]);
    }
    for (const other of digests.slice(1)) expect(other).toEqual(digests[0]);
  });

  it("reads only new zips in a second run, and a changed one again", async () => {
    const out = join(folder.home, "warehouse");
    const zips = join(folder.home, "zips");
    await mkdir(zips);
    putZip(zips, "a.zip", returns(3));
    expect((await importWell(zips, out)).stderr).toContain("a.zip (1 of 1): 3 returns");
    putZip(zips, "b.zip", returns(2, 10));
    const second = await importWell(zips, out);
    expect(second.stderr).toContain("b.zip (1 of 1): 2 returns");
    expect(second.stderr).not.toContain("a.zip");
    putZip(zips, "a.zip", returns(4));
    expect((await importWell(zips, out)).stderr).toContain("a.zip (1 of 1): 4 returns");
    expect((await readGrants(out)).length).toBe(12);
    await importWell(zips, out);
    expect((await readdir(join(`${out}.irs`, "parts"))).length).toBe(2); // the part of the replaced zip is removed
  });

  it("makes parts of another version again, and removes the files of a killed run", async () => {
    const zip = putZip(folder.home, "a.zip", returns(3));
    const out = join(folder.home, "warehouse");
    await importWell(zip, out);
    const parts = join(`${out}.irs`, "parts");
    await mkdir(join(parts, "v0-00"));
    await mkdir(join(parts, "v1-00.draft"));
    const before = await digestFolder(out);
    await rm(join(out, "finances.parquet")); // otherwise, the import would be unchanged
    await importWell(zip, out);
    expect((await readdir(parts)).length).toBe(1);
    expect(await digestFolder(out)).toEqual(before);
  });

  it("reads loose XML files, folders, globs, and a path with a space", async () => {
    const home = join(folder.home, "with space");
    await mkdir(join(home, "deep/er"), { recursive: true });
    await writeFile(join(home, "deep/er", memberName(objectId(1, 1))), formatReturn(plainReturn));
    await writeFile(join(home, "notes.txt"), "no return");
    putZip(home, "a.zip", returns(2, 5));
    const out = join(folder.home, "warehouse");
    await importWell(home, out);
    expect((await readGrants(out)).length).toBe(5);
    await importWell(`${folder.home}/with*/*.zip`.replaceAll(" ", "?"), out);
    expect((await readGrants(out)).length).toBe(4);
  });

  it("replaces a sample, and never the files of somebody else", async () => {
    const out = join(folder.home, "warehouse");
    await mkdir(out);
    for (const name of ["grants-0000.parquet", "grants-0001.parquet"])
      await writeFile(join(out, name), "sample");
    const zip = putZip(folder.home, "a.zip", returns(2));
    await importWell(zip, out);
    expect((await readdir(out)).sort()).toEqual([
      "finances.parquet",
      "grants-0000.parquet",
      "organizations.parquet",
    ]);
    await writeFile(join(out, "mine.parquet"), "x");
    const { code, stderr } = await importHere(zip, out);
    expect([code, stderr]).toEqual([2, expect.stringContaining('contains "mine.parquet"')]);
  });

  it("leaves members that are not returns out, in folders or beside", async () => {
    const nested = { ...returns(1)[0], name: `batch/7/${memberName(objectId(9, 9))}` } as ReturnType<
      typeof member
    >;
    const out = await importMembers(
      nested,
      { name: "index.csv", content: Buffer.from("a,b") },
      { name: "__MACOSX/._x.xml", content: Buffer.from("x") },
    );
    expect(Object.keys(await readStatuses(out))).toEqual([memberName(objectId(9, 9))]);
  });
});
