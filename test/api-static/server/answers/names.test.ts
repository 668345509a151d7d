// Tests the responses with names of funders, on a release with organizations and on one without.
import { readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readFunders } from "../../../pipeline/trust.fixture.ts";
import { isRealTested, realWarehouse } from "../../../realWarehouse.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

type Listed = { readonly ein: string };
const empty = '{"success":true,"data":[]}\n';

describe("names", () => {
  const served = useRelease({ sampleRows: 4_000 });

  it("of every funder are found by its EIN", async () => {
    const { folder } = served();
    const funders = await readFunders(folder);
    const lines = readFileSync(join(folder, "organizations"), "utf8").split("\n").slice(0, -1);
    const named = lines.filter((line) => funders.has(Number((JSON.parse(line) as Listed).ein)));
    expect(named.length).toBeGreaterThan(20);
    for (const line of named) {
      const { ein } = JSON.parse(line) as Listed;
      const path = `/v1/names/eins/${ein.slice(0, 4)}.json`;
      expect((await served().askText(path)).split(/,?\n/)).toContain(line);
    }
  });

  it("that do not exist are an empty list, so that a page meets no error", async () => {
    expect(await served().askText("/v1/names/eins/0000.json")).toBe(empty);
    expect((await served().ask("/v1/names/words/har.json")).status).toBe(404);
  });

  it("are sent as they are stored to clients with gzip", async () => {
    const path = `/v1/names/eins/${String(served().facts.organizationEin).slice(0, 4)}.json`;
    const packed = await (await served().ask(path, { "Accept-Encoding": "gzip" })).bytes();
    expect(Buffer.from(packed)).toEqual(await readFile(join(served().folder, "public", `${path}.gz`)));
  });

  it("are not invented if their file is missing or damaged", async () => {
    const { folder, release, facts, log } = served();
    const path = `/v1/names/eins/${String(facts.organizationEin).slice(0, 4)}.json`;
    const file = join(folder, "public", `${path}.gz`);
    const stored = await readFile(file);
    const app = createTestApp(release, (line) => log.push(JSON.parse(line)));
    const ask = async () => (await app.fetch(new Request(`http://127.0.0.1${path}`))).status;
    await rm(file);
    expect(await ask()).toBe(500);
    await writeFile(file, stored.subarray(0, -20));
    expect(await ask()).toBe(500);
    await writeFile(file, stored);
    expect(await ask()).toBe(200);
  });
});

describe.skipIf(!isRealTested("names"))("a release without organizations", () => {
  const served = useRelease({ warehouse: realWarehouse });

  it("says so in its status, and has no names", async () => {
    const { askText, facts } = served();
    expect(JSON.parse(await askText("/v1/status"))).toMatchObject({ organizations: 0 });
    expect(await askText(`/v1/names/eins/${facts.big.ein.slice(0, 4)}.json`)).toBe(empty);
  });
});
