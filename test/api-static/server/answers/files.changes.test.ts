// Tests the index of changes and its files as a server sends them.
import { hash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChangesIndex } from "../../../../api-static/contract/answers/changes.ts";
import { ChangesFolder } from "../../../../api-static/server/answers/changesFolder.ts";
import { makeFolder } from "../../../../pipeline/base/files.ts";
import { formatChain } from "../../../../pipeline/releases/changes/chain.ts";
import { createTestApp, type TestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const [first, second, third] = ["20261118T040000Z", "20261119T040000Z", "20261120T040000Z"] as const;
const body = Buffer.from("changes".repeat(20_000));
const sha256 = hash("sha256", body);
const named = (from: string, to: string) => `${from}..${to}.ndjson.gz`;
const path = `/v1/changes/${named(first, second)}`;
const entry = { at: "2026-11-19T04:01:00Z", added: 1, changed: 0, removed: 0, records: 5, digest: "" };
const files = [{ format: "ndjson.gz" as const, url: path, bytes: body.length, sha256 }];

let data = "";
let app: TestApp;

const writeIndex = (index: ChangesIndex) => writeFile(join(data, "changes/index.json"), formatChain(index));
const ask = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  app.fetch(new Request(`http://127.0.0.1${url}`, { headers, method }));

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "changes-"));
  await makeFolder(join(data, "changes"));
  app = createTestApp(served().release, undefined, { changes: new ChangesFolder(data) });
  await writeFile(join(data, "changes", named(first, second)), body);
  await writeFile(join(data, "changes", named(second, third)), body);
  await writeIndex({ current: second, entries: [{ from: first, to: second, ...entry, files }] });
});
afterAll(() => rm(data, { recursive: true, force: true }));

describe("the index", () => {
  it("is sent as it is", async () => {
    const answer = await ask("/v1/changes/index.json");
    expect(await answer.json()).toMatchObject({ current: second, entries: [{ from: first, to: second }] });
  });

  it("is read again after a sync, and missing if it is damaged", async () => {
    const entries = [{ from: first, to: second, ...entry, files }];
    await writeIndex({
      current: third,
      entries: [...entries, { from: second, to: third, ...entry, files: [] }],
    });
    expect(await (await ask("/v1/changes/index.json")).json()).toMatchObject({ current: third });
    await writeFile(join(data, "changes/index.json"), "{}");
    expect((await ask("/v1/changes/index.json")).status).toBe(404);
    expect((await ask(path)).status).toBe(404);
    await writeIndex({
      current: third,
      entries: [...entries, { from: second, to: third, ...entry, files: [] }],
    });
  });
});

describe("a file of changes", () => {
  it("is sent whole or in part, not compressed again, and is kept forever", async () => {
    const answer = await ask(path, { "Accept-Encoding": "gzip" });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...{ "content-type": "application/gzip", "content-length": String(body.length), etag: `"${sha256}"` },
      "cache-control": "public, max-age=31536000, immutable",
    });
    expect(answer.headers.get("Content-Encoding")).toBeNull();
    expect(body.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    const part = await ask(path, { Range: "bytes=-7" });
    expect([part.status, await part.text()]).toEqual([206, "changes"]);
    expect((await ask(path, { "If-None-Match": `"${sha256}"` })).status).toBe(304);
    expect((await ask(path, {}, "HEAD")).headers.get("Content-Length")).toBe(String(body.length));
  });

  it("is found by the names of the index only", async () => {
    const codeOf = async (url: string) => {
      const answer = await ask(url);
      return [answer.status, ((await answer.json()) as { code: string }).code];
    };
    // The file is there, but its entry does not name it.
    expect(await codeOf(`/v1/changes/${named(second, third)}`)).toEqual([404, "not_found"]);
    expect(await codeOf(`/v1/changes/${named(third, first)}`)).toEqual([404, "not_found"]);
    expect(await codeOf("/v1/changes/index.json.next")).toEqual([404, "not_found"]);
    expect(await codeOf(`/r/20200101T000000Z${path}`)).toEqual([404, "release_not_found"]);
  });

  it("of a release that is not kept names the download to start from", async () => {
    const answer = await ask(`/v1/changes/${named("20200101T000000Z", first)}`);
    expect([answer.status, await answer.json(), answer.headers.get("Cache-Control")]).toEqual([
      410,
      {
        success: false,
        error:
          "changes since release 20200101T000000Z are not kept; start again from /v1/downloads/grants.parquet",
        code: "release_too_old",
      },
      "no-store",
    ]);
  });
});
