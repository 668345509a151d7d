// Tests that the next sync makes a whole release even if the current one is damaged.

import { cp, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { describe, expect, it } from "vitest";
import {
  digestContent,
  expectNoLeftovers,
  findProblems,
  findRelease,
  spread,
  syncHere,
} from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const page = "public/v1/funders/100000003/history-100-0.json.gz";

async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(20) ^ 16, 20);
  await rm(path); // the page may be a hard link to another release's file
  await writeFile(path, bytes);
}

/** A sync reads a seventh of the pages, by EIN: a damaged page of each funder is one for every day of the week. */
async function flipBits(funders: string): Promise<void> {
  for (const ein of await readdir(funders)) await flipBit(join(funders, ein, "history-100-0.json.gz"));
}

const damages: readonly (readonly [string, string, (path: string) => Promise<void>])[] = [
  ["a page that is missing", page, (path) => rm(path)],
  ["pages with a flipped bit", "public/v1/funders", flipBits],
  [
    "pages of a funder whose folder is missing",
    "public/v1/funders/100000003",
    (path) => rm(path, { recursive: true }),
  ],
  ["a funder table that is missing", "funders", (path) => rm(path)],
  ["a funder table that was cut off", "funders", (path) => truncate(path, 35)],
  ["a funder table with a flipped bit", "funders", flipBit],
  ["a table of digests with a flipped bit", "funders.digests", flipBit],
  ["a table of pages that was cut off", "pages", (path) => truncate(path, 15)],
  ["a manifest that was cut off", "manifest.json", (path) => truncate(path, 100)],
  ["no records", "records", (path) => rm(path)],
];

describe("a sync over a current release", () => {
  it.each(damages)("with %s makes a whole one", async (_, part, damage) => {
    const made = join(folder.root, "made");
    const data = join(folder.home, "data");
    const warehouse = await put("w.parquet", spread(9), "FROM range(180) t(i)");
    if (!(await pathExists(made))) await syncHere(warehouse, made);
    await cp(made, data, { recursive: true, verbatimSymlinks: true });
    const before = await findRelease(data);
    const content = await digestContent(before);
    await damage(join(before, part));
    expect(await findProblems(before)).not.toBe("");
    await utimes(warehouse, new Date(), new Date(Date.UTC(2026, 0, 1))); // otherwise there is nothing to do
    const release = await syncHere(warehouse, data);
    expect(release).not.toBe(before);
    expect(await digestContent(release)).toEqual(content);
    await expectNoLeftovers(data);
  });
});
