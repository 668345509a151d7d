// Tests that a sync does not link damaged page files of the previous release.
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readReport } from "../../pipeline/report/report.ts";
import { writeSample } from "../../tools/sample/sample.ts";
import { runCommand } from "./release.fixture.ts";

let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "grants-damage-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

it("builds every page again if one of the current release is damaged, and reports it", async () => {
  const environment = { WAREHOUSE: join(home, "warehouse"), DATA: join(home, "data") };
  const options = { rows: 1_000, seed: 1, memory: "1GB", threads: 2, spillFolder: join(home, "spill") };
  const { files } = await writeSample({ ...options, folder: environment.WAREHOUSE });
  expect(await runCommand(["sync"], environment)).toMatchObject({ code: 0 });

  const pages = join(environment.DATA, "current", "public", "v1", "funders");
  const page = join(pages, (await readdir(pages)).at(-1) ?? "", "history-100-0.json.gz");
  const bytes = await readFile(page);
  bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60);
  await writeFile(page, bytes);
  for (const file of files) await utimes(file, 1, 1); // the same grants in files with another time

  const second = await runCommand(["sync"], environment);
  expect(second.code).toBe(0);
  expect(second.stderr).toContain("/history-100-0.json.gz has unexpected content");
  expect(second.stderr).toContain("all pages are built again");
  expect(await runCommand(["verify"], environment)).toMatchObject({ code: 0 });
  const names = (await readReport(join(environment.DATA, "current"))).steps.map(({ name }) => name);
  expect(names, "steps of the second attempt alone").toEqual([...new Set(names)]);
});
