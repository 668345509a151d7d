// Tests that a pulled release is the published one, and that nothing else becomes current.
import { cp, mkdtemp, readdir, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Release } from "../../../api-static/search/release.ts";
import { Progress } from "../../../pipeline/base/progress.ts";
import { pull } from "../../../pipeline/delivery/pull.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { requestTable } from "../../api-static/requestTable.ts";
import { createTestApp, useRelease } from "../../api-static/server/release.fixture.ts";
import { failFirst, Store, type StoreObject } from "../base/bucket/store.fixture.ts";
import { digestFolder, runCommand } from "../release.fixture.ts";
import { expectNoLeftovers, sealAgain } from "../trust.fixture.ts";
import { openBucket, prefix, publishHere } from "./publish.fixture.ts";

const served = useRelease({ sampleRows: 0 });

let root = "";
let data = "";
let store: Store;
let published: ReadonlyMap<string, StoreObject> = new Map();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "pull-"));
  store = await Store.start();
  await publishHere(store, served().data);
  published = new Map(store.objects);
});

beforeEach(async () => {
  data = await mkdtemp(join(root, "data-"));
  store.objects.clear();
  for (const [key, object] of published) store.objects.set(key, object);
  store.requests.length = 0;
});

afterEach(() => {
  store.faultOf = () => undefined;
});

afterAll(async () => {
  await store.stop();
  await rm(root, { recursive: true });
});

async function pullHere(): ReturnType<typeof pull> {
  const bucket = openBucket(store);
  const progress = new Progress({ write: () => true }, () => performance.now());
  const settings = { data, keep: 3, isForced: false, memory: "1GB", threads: 1 };
  return pull(bucket, settings, progress).finally(() => bucket.close());
}

describe("a pull", () => {
  it("fills a data folder that answers the table of requests with the same bytes, whatever the store does", async () => {
    store.faultOf = failFirst(2, ["busy", "reset", "truncated"]);
    const result = await pullHere();
    store.faultOf = () => undefined;
    expect(result.counts?.downloaded).toBe(result.counts?.files);
    expect(store.requests.length).toBeGreaterThan(2 * (result.counts?.files ?? Infinity));
    const folder = join(data, await readlink(join(data, "current")));
    expect(await digestFolder(folder)).toEqual(await digestFolder(served().folder));
    await expectNoLeftovers(data);
    const release = await Release.open(folder);
    const app = createTestApp(release);
    for (const { path } of requestTable(served().facts)) {
      const ask = async (asked: typeof app) => {
        const answer = await asked.fetch(new Request(`http://127.0.0.1${path}`, { redirect: "manual" }));
        return [answer.status, Buffer.from(await answer.arrayBuffer()).toString("latin1")];
      };
      expect(await ask(app), path).toEqual(await ask(served().app));
    }
    release.leave();
    // The same release again: the state and the index of changes are read.
    store.requests.length = 0;
    const environment = { ...store.environment, FROM: `s3://${store.bucket}/live`, DATA: data };
    const { stdout } = await runCommand(["pull"], environment);
    expect(stdout).toContain(`pull: nothing new; the release in s3://${store.bucket}/live/ is current; `);
    expect(store.countRequests()).toEqual({ GET: 2 });
  });

  it.each([
    "public/v1/funders/",
    "public/v1/downloads/grants.parquet",
    "public/index.html",
    "releases/20261120T040000Z/records.offsets",
    "releases/20261120T040000Z/index.duckdb",
  ])("finds a flipped bit in %s before anything becomes current", async (name) => {
    const key = [...published.keys()].find((key) => key.startsWith(prefix + name)) ?? "";
    const { body, headers } = published.get(key) as StoreObject;
    const flipped = Buffer.from(body);
    const at = Math.floor(body.length / 2);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 4, at);
    store.put(key, flipped, headers);
    await expect(pullHere()).rejects.toThrow(`${key} is not what was published`);
    expect(await readdir(join(data, "releases"))).toEqual([]);
    expect(await readdir(data)).not.toContain("current");
    expect(await readdir(data)).not.toContain("building");
  });

  it("says that another release is being published", async () => {
    const [key = ""] = [...published.keys()].filter((key) => key.includes("/public/v1/funders/"));
    store.put(key, Buffer.from("of another release"));
    const state = JSON.parse(published.get(`${prefix}publish.json`)?.body.toString() ?? "");
    store.put(`${prefix}publish.json`, Buffer.from(JSON.stringify({ ...state, publisher: "another" })));
    await expect(pullHere()).rejects.toThrow(
      "another release is being published. Pull again when that has ended",
    );
  });

  it("says that nothing was published", async () => {
    store.objects.clear();
    await expect(pullHere()).rejects.toThrow("holds no published release. Run `make publish` first");
  });
});

describe("a pull of the next release", () => {
  it("downloads what changed and shares the other files with the previous release", async () => {
    await pullHere();
    // The next release has the same content.
    const next = "20261121T040000Z";
    const folder = join(served().data, "releases", next);
    await cp(served().folder, folder, { recursive: true, verbatimSymlinks: true });
    await sealAgain(folder, { release: next });
    await activateRelease(served().data, next);
    await publishHere(store, served().data);
    store.requests.length = 0;
    const result = await pullHere();
    expect(result).toMatchObject({ release: next, counts: { downloaded: 6 } });
    // No two releases have the same downloads, and the index of changes is read each time.
    const unshared = /\/public\/v1\/(?:downloads|changes)\//;
    const gets = store.requests.filter(
      ({ method, key }) => method === "GET" && key.includes("/public/") && !unshared.test(key),
    );
    expect(gets).toEqual([]);
    const shared = await stat(join(data, "current/public/index.html"));
    expect(shared.nlink).toBe(2);
    const [part, download] = ["matches.parquet", "public/v1/downloads/matches.parquet"];
    expect((await stat(join(data, "current", download))).ino).toBe(
      (await stat(join(data, "current", part))).ino,
    );
  });
});
