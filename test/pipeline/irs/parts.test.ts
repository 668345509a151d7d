// Tests which parts of earlier imports are kept.
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importerVersion, removeUnusedParts } from "../../../pipeline/irs/parts.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

it("Parts that no digest names are removed, and only those of this version", async () => {
  const names = [`v${importerVersion}-aa`, `v${importerVersion}-bb`, "v0-bb"];
  for (const name of names) await mkdir(join(folder.home, name));
  await removeUnusedParts(folder.home, new Set(["aa", "cc"]));
  expect((await readdir(folder.home)).sort()).toEqual(["v0-bb", `v${importerVersion}-aa`]);
});
