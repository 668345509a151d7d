// Tests that `make preview` serves a release's public part without our server, as any static host can.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyPath } from "../../api-static/contract/pageKeys.ts";
import { openapiText } from "../../api-static/openapi/document.ts";
import { readSearchPages } from "../../api-static/release/layout.ts";
import { writeSample } from "../../pipeline/sample/sample.ts";
import { pages } from "../../site/pages.ts";
import { findPort, until } from "../api-static/server/socket.fixture.ts";
import { checkout, fewSearches, site } from "../pipeline/release.fixture.ts";
import { syncHere } from "../pipeline/trust.fixture.ts";
import { useFolder } from "../pipeline/warehouse/warehouse.fixture.ts";

const folder = useFolder();
let release = "";
let origin = "";
let host: ChildProcess;

beforeAll(async () => {
  const warehouse = join(folder.root, "warehouse");
  const spillFolder = join(folder.root, "spill");
  await writeSample({ rows: 500, seed: 1, folder: warehouse, memory: "1GB", threads: 1, spillFolder });
  const data = join(folder.root, "data");
  release = await syncHere(warehouse, data, fewSearches);
  const port = await findPort();
  origin = `http://127.0.0.1:${port}`;
  host = preview(data, port);
  await until(() => fetch(origin).catch(() => undefined));
});

afterAll(async () => {
  if (host === undefined) return;
  const ended = once(host, "exit");
  host.kill();
  await ended;
});

/** Starts `make preview`. `-o` treats the installed packages as up to date, so that a test never installs anything. */
function preview(data: string, port: number): ChildProcess {
  const settings = [`DATA=${data}`, "HOST=127.0.0.1", `PORT=${port}`];
  return spawn("make", ["-s", "-o", "node_modules/.package-lock.json", "preview", ...settings], {
    cwd: checkout,
    stdio: "ignore",
  });
}

async function expectStored(path: string, key: string): Promise<void> {
  const answer = await fetch(origin + path);
  expect(answer.status, path).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const stored = await readFile(join(release, "public", `${key}.gz`));
  expect(await answer.text()).toBe(gunzipSync(stored).toString());
}

describe("a static host", () => {
  it("serves a page under its key, as JSON that a browser unpacks", async () => {
    const funders = await readFile(join(release, "funders"));
    const ein = String(funders.readUInt32LE(0)).padStart(9, "0");
    const key = `v1/funders/${ein}/history-100-0.json`;
    await expectStored(`/${key}`, key);
  });

  it("serves the OpenAPI document as the server does", async () => {
    const answer = await fetch(`${origin}/openapi.json`);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.text()).toBe(openapiText);
  });

  it("serves every search's page under its key, or under its file's name if the key has an escape", async () => {
    const searches = readSearchPages(await readFile(join(release, "searches"), "utf8"));
    const isEscaped = (key: string) => /[+%]/.test(key);
    expect(new Set(searches.map(({ key }) => isEscaped(key)))).toEqual(new Set([true, false]));
    expect(searches.some(({ key }) => key.includes("&"))).toBe(true);
    for (const { key } of searches) await expectStored(keyPath(key) + (isEscaped(key) ? ".gz" : ""), key);
  });

  it("serves the files of names under their keys", async () => {
    for (const list of ["eins", "words"]) {
      const [name = ""] = await readdir(join(release, "public/v1/names", list));
      const key = `v1/names/${list}/${name.replace(/\.gz$/, "")}`;
      await expectStored(`/${key}`, key);
    }
  });

  it("serves every page at its address, with a query too", async () => {
    for (const { path, file } of Object.values(pages))
      for (const query of ["", "?ein=131635294"]) {
        const answer = await fetch(origin + path + query);
        expect(answer.status, path).toBe(200);
        expect(await answer.text()).toBe(await readFile(join(site, file), "utf8"));
      }
  });

  it("redirects from the name of a page's file to its address", async () => {
    const { headers } = await fetch(`${origin}/funder.html`, { redirect: "manual" });
    expect(headers.get("location")).toBe("/funder");
  });

  it("answers 404 for a page that no funder has", async () => {
    expect((await fetch(`${origin}/v1/funders/000000001/history-100-0.json`)).status).toBe(404);
  });
});
