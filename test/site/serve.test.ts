// Proves that a release's public part stands on a static host, without our server.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyPath } from "../../api-static/contract/pageKeys.ts";
import { openapiText } from "../../api-static/openapi/document.ts";
import { readSearchPages } from "../../api-static/release/layout.ts";

import { Progress } from "../../pipeline/progress.ts";
import { writeSample } from "../../pipeline/sample/sample.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";

const main = fileURLToPath(new URL("../../node_modules/serve/build/main.js", import.meta.url));
const site = fileURLToPath(new URL("../../site/public", import.meta.url));

let home = "";
let release = "";
let origin = "";
let host: ChildProcess;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "grants-serve-"));
  const [warehouse, data] = [join(home, "warehouse"), join(home, "data")];
  await writeSample({
    rows: 500,
    seed: 1,
    folder: warehouse,
    memory: "1GB",
    threads: 2,
    spillFolder: join(home, "spill"),
  });
  const settings = readSyncSettings({ WAREHOUSE: warehouse, DATA: data, MEMORY: "1GB" });
  const progress = new Progress({ write: () => true }, () => 0);
  const synced = await sync(settings, { progress, clock: () => new Date("2026-11-20T04:00:00Z"), site });
  release = join(data, "releases", synced.release);
  const port = await findPort();
  origin = `http://127.0.0.1:${port}`;
  host = spawn(process.execPath, [main, "-L", "-l", `tcp://127.0.0.1:${port}`, join(release, "public")], {
    stdio: "ignore",
  });
  await waitFor(() => fetch(origin));
});

afterAll(async () => {
  host?.kill();
  await rm(home, { recursive: true, force: true });
});

describe("a static host", () => {
  it("serves a page under its key, as JSON that a browser unpacks", async () => {
    const funders = await readFile(join(release, "funders"));
    const ein = String(funders.readUInt32LE(0)).padStart(9, "0");
    const key = `v1/funders/${ein}/history-100-0.json`;
    const answer = await fetch(`${origin}/${key}`);
    const stored = await readFile(join(release, "public", `${key}.gz`));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.text()).toBe(gunzipSync(stored).toString());
  });

  it("serves the contract for machines as the server does", async () => {
    const answer = await fetch(`${origin}/openapi.json`);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.text()).toBe(openapiText);
  });

  it("serves a search's page under its key as a URL's path", async () => {
    const searches = readSearchPages(await readFile(join(release, "searches"), "utf8"));
    const encoded = searches.find(({ key }) => /%[0-9A-F]{2}/.test(key))?.key ?? "";
    expect(encoded).toMatch(/^v1\/history\/purpose=/);
    for (const search of ["v1/history/all/1000-0.json", encoded]) {
      // This host would encode the name again for another ending: it is asked for the file as it is stored.
      const answer = await fetch(`${origin}${keyPath(search)}.gz`);
      expect(answer.status, search).toBe(200);
      const stored = await readFile(join(release, "public", `${search}.gz`));
      expect(await answer.text()).toBe(gunzipSync(stored).toString());
    }
  });

  it("serves the site", async () => {
    const answer = await fetch(origin);
    expect(await answer.text()).toBe(await readFile(join(site, "index.html"), "utf8"));
  });

  it("answers 404 for a page that no funder has", async () => {
    expect((await fetch(`${origin}/v1/funders/000000001/history-100-0.json`)).status).toBe(404);
  });
});

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Tries until it works, for at most ten seconds. */
async function waitFor(attempt: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await attempt();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error("the static host did not start within ten seconds");
}
