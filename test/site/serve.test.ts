// Tests that `make preview` serves a release's public part without our server, as any static host can.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { downloadKey, downloadsFolder, downloadTypes } from "../../api-static/contract/answers/downloads.ts";
import { keyPath } from "../../api-static/contract/operations/searches.ts";
import { openapiText } from "../../api-static/openapi/document.ts";
import { readSearchPages } from "../../api-static/release/layout.ts";
import { pages } from "../../site/pages.ts";
import { useRelease } from "../api-static/server/release.fixture.ts";
import { usePreview } from "./preview.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const origin = usePreview(() => served().data);

async function expectStored(path: string, key: string): Promise<void> {
  const answer = await fetch(origin() + path);
  expect(answer.status, path).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const stored = await readFile(join(served().folder, "public", `${key}.gz`));
  expect(await answer.text()).toBe(gunzipSync(stored).toString());
}

describe("a static host", () => {
  it("serves a page under its key, as JSON that a browser unpacks", async () => {
    const funders = await readFile(join(served().folder, "funders"));
    const ein = String(funders.readUInt32LE(0)).padStart(9, "0");
    const key = `v1/funders/${ein}/history-100-0.json`;
    await expectStored(`/${key}`, key);
  });

  it("serves the OpenAPI document as the server does", async () => {
    const answer = await fetch(`${origin()}/openapi.json`);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.text()).toBe(openapiText);
  });

  it("serves every search's page under its key, or under its file's name if the key has an escape", async () => {
    const searches = readSearchPages(await readFile(join(served().folder, "searches"), "utf8"));
    const isEscaped = (key: string) => /[+%]/.test(key);
    expect(new Set(searches.map(({ key }) => isEscaped(key)))).toEqual(new Set([true, false]));
    expect(searches.some(({ key }) => key.includes("&"))).toBe(true);
    for (const { key } of searches) await expectStored(keyPath(key) + (isEscaped(key) ? ".gz" : ""), key);
  });

  it("serves the files of names under their keys", async () => {
    const [name = ""] = await readdir(join(served().folder, "public/v1/names/eins"));
    const key = `v1/names/eins/${name.replace(/\.gz$/, "")}`;
    await expectStored(`/${key}`, key);
  });

  it("serves downloads as they are, and parts of them", async () => {
    const path = join(served().folder, "public", downloadKey("grants.parquet"));
    const [file, url] = [await readFile(path), `${origin()}/${downloadKey("grants.parquet")}`];
    const whole = await fetch(url);
    expect([whole.status, whole.headers.get("content-encoding")]).toEqual([200, null]);
    expect(Buffer.from(await whole.arrayBuffer()).equals(file)).toBe(true);
    const part = await fetch(url, { headers: { Range: "bytes=-4" } });
    expect([part.status, await part.text()]).toEqual([206, "PAR1"]);
  });

  it("gives each download the type that the server gives it", async () => {
    for (const [name, type] of Object.entries(downloadTypes)) {
      const { headers } = await fetch(`${origin()}/${downloadsFolder}/${name}`, { method: "HEAD" });
      expect(headers.get("content-type"), name).toBe(type);
    }
  });

  it("serves every page at its address, with a query too", async () => {
    for (const { path, file } of Object.values(pages))
      for (const query of ["", "?ein=131635294"]) {
        const answer = await fetch(origin() + path + query);
        expect(answer.status, path).toBe(200);
        expect(await answer.text()).toBe(await readFile(join(served().folder, "public", file), "utf8"));
      }
  });

  it("redirects from the name of a page's file to its address", async () => {
    const { headers } = await fetch(`${origin()}/funder.html`, { redirect: "manual" });
    expect(headers.get("location")).toBe("/funder");
  });

  it("answers 404 for a page that no funder has", async () => {
    expect((await fetch(`${origin()}/v1/funders/000000001/history-100-0.json`)).status).toBe(404);
  });
});
