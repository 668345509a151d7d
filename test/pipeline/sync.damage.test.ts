// Tests that a sync does not use what is damaged of the previous release.
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parts } from "../../api-static/release/layout.ts";
import { readReport } from "../../pipeline/report/report.ts";
import { writeSample } from "../../tools/sample/sample.ts";
import { runCommand } from "./release.fixture.ts";

let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "grants-damage-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

it.each([parts.index, parts.records])("takes nothing from a release whose %s is damaged", async (part) => {
  const environment = { WAREHOUSE: join(home, `warehouse-${part}`), DATA: join(home, `data-${part}`) };
  const options = { rows: 3_000, seed: 1, memory: "1GB", threads: 2, spillFolder: join(home, "spill") };
  const { files } = await writeSample({ ...options, folder: environment.WAREHOUSE });
  expect(await runCommand(["sync"], environment)).toMatchObject({ code: 0 });

  const path = join(environment.DATA, "current", part);
  const bytes = await readFile(path);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  await writeFile(path, bytes);
  for (const file of files) await utimes(file, 1, 1); // the same grants in files with another time

  const second = await runCommand(["sync"], environment);
  expect(second.code).toBe(0);
  expect(second.stderr).toMatch(new RegExp(`${part} of .* does not match its sealed digest`));
  expect(second.stderr).toContain("all pages are built again");
  expect(await runCommand(["verify"], environment)).toMatchObject({ code: 0 });
});

it("builds every page again if one of the current release is damaged, and reports it", async () => {
  const environment = { WAREHOUSE: join(home, "warehouse"), DATA: join(home, "data") };
  const options = { rows: 1_000, seed: 1, memory: "1GB", threads: 2, spillFolder: join(home, "spill") };
  const { files } = await writeSample({ ...options, folder: environment.WAREHOUSE });
  expect(await runCommand(["sync"], environment)).toMatchObject({ code: 0 });

  const pages = join(environment.DATA, "current", "public", "v1", "funders");
  // A sync reads a seventh of the pages, by EIN: one damaged page for every day of the week.
  const eins = Map.groupBy(await readdir(pages), (ein) => Number(ein) % 7);
  expect(eins.size).toBe(7);
  for (const [ein = ""] of eins.values()) {
    const page = join(pages, ein, "history-100-0.json.gz");
    const bytes = await readFile(page);
    bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60);
    await writeFile(page, bytes);
  }
  for (const file of files) await utimes(file, 1, 1); // the same grants in files with another time

  const second = await runCommand(["sync"], environment);
  expect(second.code).toBe(0);
  expect(second.stderr).toContain("/history-100-0.json.gz has unexpected content");
  expect(second.stderr).toContain("all pages are built again");
  expect(await runCommand(["verify"], environment)).toMatchObject({ code: 0 });
  const names = (await readReport(join(environment.DATA, "current"))).steps.map(({ name }) => name);
  expect(names, "steps of the second attempt alone").toEqual([...new Set(names)]);
});
