// Tests that a bucket ends as the release, whatever happens on the way, and that its readers miss nothing meanwhile.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readChain } from "../../../api-static/release/chain.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { readManifest, writeManifest } from "../../../pipeline/releases/manifest.ts";
import { proofs } from "../../proofs.ts";
import { itWhole } from "../../whole.ts";
import { failFirst, Store, type StoreObject } from "../base/bucket/store.fixture.ts";
import { fewSearches, runCommand } from "../release.fixture.ts";
import { spread, startCommand, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";
import { describeStore, findDifferent, prefix, publishHere, readExpected } from "./publish.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let data = "";
let store: Store;
/** What a store holds after the first release was published. */
let published: ReadonlyMap<string, StoreObject> = new Map();
/** Ids of releases: the first; one more with one funder changed; one more with many changed, new and removed. */
let [first, night, other] = ["", "", ""];
const publicFiles = new Map<string, Map<string, Buffer>>();

beforeAll(async () => {
  data = join(folder.root, "data");
  const site = join(folder.root, "site");
  await mkdir(join(site, "assets"), { recursive: true });
  await writeFile(join(site, "assets/start-abc.js"), "start();");
  for (const name of ["index.html", "funder.html"]) await writeFile(join(site, name), `<p>${name}</p>`);
  const make = async (changes: Record<string, string>, clauses: string) => {
    const warehouse = await put("../warehouse.parquet", { ...spread(40), ...changes }, clauses);
    const settings = { KEEP: "5", MAX_FALL: "100", ...fewSearches };
    const release = await syncHere(warehouse, data, settings, site);
    const id = release.split("/").at(-1) ?? "";
    publicFiles.set(id, await readExpected(release));
    return id;
  };
  first = await make({}, "FROM range(120) t(i)");
  const changed = "CASE WHEN i % 40 = 7 THEN 'OTHER' ELSE 'PURPOSE ' || i % 13 END";
  night = await make({ purpose: changed }, "FROM range(120) t(i)");
  await writeFile(join(site, "funder.html"), "<p>updated</p>");
  const many = "CASE WHEN i % 3 = 0 THEN 'OTHER' ELSE 'PURPOSE ' || i % 13 END";
  const funders = { funder_ein: "100000000 + i % 36 + CASE WHEN i % 36 < 3 THEN 500 ELSE 0 END" };
  other = await make({ purpose: many, ...funders }, "FROM range(120) t(i)");
});

beforeAll(async () => {
  store = await Store.start();
  await publishRelease(first);
  published = new Map(store.objects);
  await store.stop();
});

beforeEach(async () => {
  store = await Store.start();
});

/** Fills the store as a publish of the first release does. */
function holdFirst(): void {
  store.objects.clear();
  for (const [key, object] of published) store.objects.set(key, object);
}

afterEach(() => store.stop());

async function publishRelease(id: string, ...rest: [] | [Parameters<typeof publishHere>[2]]) {
  await activateRelease(data, id);
  return publishHere(store, data, ...rest);
}

/** What the store holds after the first release, and after another one that followed it, undisturbed. */
async function describeUndisturbed(next?: string): Promise<Record<string, unknown>> {
  const undisturbed = await Store.start();
  for (const [key, object] of published) undisturbed.objects.set(key, object);
  if (next !== undefined) {
    await activateRelease(data, next);
    await publishHere(undisturbed, data);
  }
  const described = describeStore(undisturbed);
  await undisturbed.stop();
  return described;
}

/** Watches every request: each page that both releases have must be there, with the bytes of one of them. */
function watchPages(before: string, after: string): { readonly misses: string[] } {
  const misses: string[] = [];
  const [old, next] = [publicFiles.get(before) ?? new Map(), publicFiles.get(after) ?? new Map()];
  const common = [...old].filter(([key]) => next.has(key));
  expect(common.length).toBeGreaterThan(30);
  store.onRequest = () => {
    for (const [key, body] of common) {
      const found = store.objects.get(key)?.body;
      if (found === undefined || (!found.equals(body) && !found.equals(next.get(key)))) misses.push(key);
    }
  };
  return { misses };
}

describe("a publish", () => {
  it("uploads every public file with its headers, the server's part and the status", async () => {
    const result = await publishRelease(first, { isSyncScheduled: true, syncMinutes: 375 });
    const expected = publicFiles.get(first) ?? new Map<string, Buffer>();
    expect(result).toMatchObject({
      release: first,
      uploaded: expected.size,
      deleted: 0,
      files: expected.size,
    });
    for (const [key, body] of expected) expect(store.objects.get(key)?.body.equals(body), key).toBe(true);
    const page = store.objects.get(`${prefix}public/v1/funders/100000007/history-100-0.json`);
    expect(page?.headers).toEqual({
      "content-type": "application/json; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control":
        "public, max-age=300, s-maxage=3600, stale-while-revalidate=3600, stale-if-error=86400",
      "x-amz-meta-link":
        '</v1/funders/100000007/history?limit=100&offset=0>; rel="first", </v1/funders/100000007/history?limit=100&offset=0>; rel="last"',
    });
    const html = store.objects.get(`${prefix}public/index.html`);
    expect(html?.headers).toMatchObject({ "content-type": "text/html; charset=utf-8" });
    const csv = store.objects.get(`${prefix}public/v1/downloads/grants.csv.gz`);
    expect(csv?.headers).toEqual({
      "content-type": "application/gzip",
      "cache-control": page?.headers["cache-control"],
    });
    const parts = [...store.objects.keys()].filter((key) => key.startsWith(`${prefix}releases/${first}/`));
    for (const part of ["records", "index.duckdb", "pages", "manifest.json"]) {
      const object = store.objects.get(`${prefix}releases/${first}/${part}`);
      expect(object?.body.equals(await readFile(join(data, "releases", first, part))), part).toBe(true);
    }
    const status = JSON.parse(store.objects.get(`${prefix}public/v1/status`)?.body.toString() ?? "");
    expect(status).toMatchObject({ success: true, release: first, records: 120, funders: 40 });
    expect(status.sync_scheduled).toBe(true);
    expect(status.next_sync).toMatch(/T06:15:00Z$/);
    const { entries } = (await readChain(data)) ?? { entries: [] };
    const changes = [...store.objects.keys()].flatMap(
      (key) => key.split(`${prefix}public/v1/changes/`)[1] ?? [],
    );
    const named = entries.flatMap(({ files }) => files.map(({ url }) => basename(url)));
    expect(changes.sort()).toEqual([...named, "index.json"].sort());
    expect(store.objects.get(`${prefix}public/v1/changes/index.json`)?.headers).toMatchObject({
      "cache-control": "public, max-age=5",
    });
    expect(store.objects.get(`${prefix}public/v1/changes/${named[0]}`)?.headers).toMatchObject({
      ...{ "content-type": "application/gzip", "cache-control": "public, max-age=31536000, immutable" },
    });
    // The status and publish.json are the only others.
    expect(store.objects.size).toBe(expected.size + parts.length + changes.length + 2);
    expect(await readFile(join(data, "purge.txt"), "utf8")).toBe("/*\n");
  });

  it("does nothing if the bucket holds the release, and says so", async () => {
    holdFirst();
    await activateRelease(data, first);
    const { code, stdout } = await runCommand(["publish"], {
      ...store.environment,
      TO: `s3://${store.bucket}/live`,
      DATA: data,
    });
    expect([code, stdout]).toEqual([
      0,
      `publish: nothing new; s3://${store.bucket}/live/ holds the current release\n`,
    ]);
    expect(store.countRequests()).toEqual({ GET: 1 });
  });

  it("uploads no page again after a publisher that was killed after its last change", async () => {
    holdFirst();
    const state = JSON.parse(published.get(`${prefix}publish.json`)?.body.toString() ?? "") as object;
    store.put(`${prefix}publish.json`, Buffer.from(JSON.stringify({ ...state, publisher: "killed" })));
    const result = await publishRelease(first);
    const downloads = [...(publicFiles.get(first)?.keys() ?? [])].filter((key) =>
      key.includes("/downloads/"),
    );
    expect(result).toMatchObject({ uploaded: downloads.length, deleted: 0, purges: 1 });
    expect(describeStore(store)).toEqual(await describeUndisturbed());
  });

  it("uploads after a night in which 1 % of the funders changed only their pages and the files that changed", async () => {
    holdFirst();
    const result = await publishRelease(night);
    const [before, after] = [publicFiles.get(first) ?? new Map(), publicFiles.get(night) ?? new Map()];
    const different = findDifferent(before, after);
    const puts = store.requests.filter(
      ({ method, key }) => method === "PUT" && key.includes("/public/") && !key.includes("/v1/changes/"),
    );
    expect(puts.map(({ key }) => key).sort()).toEqual([...different, `${prefix}public/v1/status`].sort());
    const funders = different.filter((key) => key.includes("/v1/funders/"));
    expect(funders).toEqual([`${prefix}public/v1/funders/100000007/history-100-0.json`]);
    expect(result?.uploaded).toBe(different.length);
    const purges = (await readFile(join(data, "purge.txt"), "utf8")).trim().split("\n");
    expect(purges).toEqual([
      ...["/v1/history*", "/v1/funders/*/summary", "/v1/funders/*/peers", "/v1/recipients/*", "/v1/grants/*"],
      "/v1/organizations*",
      "/v1/funders/100000007/*",
      "/v1/downloads/*",
    ]);
  });

  it("purges what changes.json lists, and the pages of an updated site are among it", async () => {
    holdFirst();
    await publishRelease(night);
    await publishRelease(other);
    const { purge } = JSON.parse(await readFile(join(data, "releases", other, "changes.json"), "utf8")) as {
      purge: string[];
    };
    const purges = (await readFile(join(data, "purge.txt"), "utf8")).trim().split("\n");
    expect(purges).toEqual(purge);
    expect(purges.slice(-2)).toEqual(["/funder.html", "/funder"]);
  });

  it("deletes after all uploads, and writes the status and the state last", async () => {
    holdFirst();
    const { misses } = watchPages(first, other);
    await activateRelease(data, other);
    const result = await publishHere(store, data, {}, { lease: 60_000 }); // without signs of life between the requests
    expect(misses).toEqual([]);
    const kinds = store.requests.flatMap(({ method, key }) => (key.includes("/public/v1/") ? [method] : []));
    const text = kinds.join(" ");
    expect(text).toMatch(/^GET (PUT )+(DELETE )+PUT$/); // the index of changes is read first
    expect(result?.deleted).toBe(text.split("DELETE").length - 1);
    // Then old releases are listed, and the bucket is let go.
    const last = [`${prefix}public/v1/status`, `${prefix}publish.json`, "", `${prefix}publish.json`];
    expect(store.requests.slice(-4).map(({ key }) => key)).toEqual(last);
    expect(describeStore(store)).toEqual(await describeUndisturbed(other));
    const held = [...store.objects.keys()].filter(
      (key) => key.includes("/public/") && !/\/status$|\/v1\/changes\//.test(key),
    );
    expect(held.sort()).toEqual([...(publicFiles.get(other)?.keys() ?? [])].sort());
  });

  it("keeps the parts of the last releases, and removes those of the others", async () => {
    holdFirst();
    await publishRelease(night);
    await publishRelease(other, { keep: 2 });
    const ids = new Set([...store.objects.keys()].map((key) => /releases\/([^/]+)/.exec(key)?.[1]));
    expect([...ids].filter((id) => id !== undefined).sort()).toEqual([night, other].sort());
  });

  it("uploads everything again by FORCE, and removes objects that the release does not have", async () => {
    holdFirst();
    store.put(`${prefix}public/v1/funders/999999999/history-100-0.json`, Buffer.from("left"));
    for (const text of ["null", "{}", "damaged"]) {
      store.put(`${prefix}publish.json`, Buffer.from(text));
      await expect(publishRelease(first)).rejects.toThrow(/is damaged, or from a newer version.*FORCE=1/);
    }
    await publishRelease(first, { isForced: true });
    expect(describeStore(store)).toEqual(await describeUndisturbed());
  });

  it("compares with the bucket's tables if those of the data folder are damaged", async () => {
    holdFirst();
    await activateRelease(data, night);
    const table = join(data, "releases", first, "pages");
    const intact = await readFile(table);
    await writeFile(table, "damaged");
    const notes: string[] = [];
    const result = await publishHere(store, data, {}, { note: (line) => notes.push(line) });
    await writeFile(table, intact);
    expect(notes).toEqual([]);
    expect(result?.uploaded).toBeLessThan(result?.files ?? 0);
  });

  it("compares all files and purges everything after an upgrade that changed the format of releases", async () => {
    holdFirst();
    const name = `${prefix}releases/${first}/manifest.json`;
    const stored = store.objects.get(name);
    if (stored === undefined) throw new Error("the store must have the first release");
    const manifest = await readManifest(join(data, "releases", first));
    await writeManifest(folder.root, { ...manifest, schema_version: manifest.schema_version - 1 });
    store.objects.set(name, { ...stored, body: await readFile(join(folder.root, "manifest.json")) });
    const result = await publishRelease(night);
    const [before, after] = [publicFiles.get(first) ?? new Map(), publicFiles.get(night) ?? new Map()];
    const different = new Set(findDifferent(before, after));
    for (const key of after.keys()) if (key.includes("/downloads/")) different.add(key);
    expect(result).toMatchObject({ uploaded: different.size, purges: 1 });
    expect(await readFile(join(data, "purge.txt"), "utf8")).toBe("/*\n");
  });

  it("publishes an earlier release after a rollback, and what a rollback changes is purged", async () => {
    holdFirst();
    await publishRelease(night);
    await publishRelease(first);
    const expected = publicFiles.get(first) ?? new Map<string, Buffer>();
    for (const [key, body] of expected) expect(store.objects.get(key)?.body.equals(body), key).toBe(true);
    expect(await readFile(join(data, "purge.txt"), "utf8")).toContain("/v1/funders/100000007/*\n");
  });
});

describe("a dry run", () => {
  it.each([
    ["counts what the publish then does, and changes nothing", "0"],
    ["counts what a publish with FORCE=1 then does, even if publish.json is damaged", "1"],
  ])("%s", async (_, FORCE) => {
    holdFirst();
    await activateRelease(data, other);
    store.put(`${prefix}public/v1/funders/999999999/history-100-0.json`, Buffer.from("left"));
    if (FORCE === "1") store.put(`${prefix}publish.json`, Buffer.from("damaged"));
    const before = new Map(store.objects);
    await writeFile(join(data, "purge.txt"), "earlier");
    const to = { TO: `s3://${store.bucket}/live`, DATA: data, FORCE, DRY_RUN: "1", LEASE_SECONDS: "60" };
    const { code, stdout } = await runCommand(["publish"], { ...store.environment, ...to });
    expect(code).toBe(0);
    expect(store.objects).toEqual(before);
    expect(await readFile(join(data, "purge.txt"), "utf8")).toBe("earlier");
    store.requests.length = 0;
    await publishHere(store, data, { isForced: FORCE === "1" }, { lease: 60_000 });
    const { PUT = 0, POST = 0, LIST = 0, DELETE = 0, GET = 0, HEAD = 0 } = store.countRequests();
    const uploads = store.requests.filter(({ method, key }) => method === "PUT" && key.includes("/public/"));
    const aborted = 1; // unfinished uploads are listed, which the store counts as a GET
    const expected = {
      uploads: uploads.length,
      deletions: DELETE,
      writes: PUT + POST + LIST + aborted,
      reads: GET - aborted + HEAD,
    };
    const counted =
      /upload (?<uploads>\d+) public.*delete (?<deletions>\d+) obj.* (?<writes>\d+) writes, (?<reads>\d+) reads/s.exec(
        stdout,
      )?.groups ?? {};
    const numbers = Object.entries(counted).map(([name, count]) => [name, Number(count)]);
    expect(Object.fromEntries(numbers)).toEqual(expected);
    expect(stdout).toMatch(/: \$0\.0\d+ at S3, \$0\.0\d+ at R2\n$/);
  });
});

describe("a publish that is disturbed", () => {
  itWhole(
    `ends as an undisturbed one after each of ${proofs.killedPublishes} kills, and readers miss no page`,
    async () => {
      const undisturbed = await describeUndisturbed(other);
      holdFirst();
      await publishRelease(other);
      const length = store.requests.length;
      await activateRelease(data, other);
      let killed = 0;
      for (let round = 0; round < proofs.killedPublishes; round += 1) {
        holdFirst();
        const { misses } = watchPages(first, other);
        const watch = store.onRequest;
        const environment = { ...store.environment, TO: `s3://${store.bucket}/live`, DATA: data };
        const { child, ended } = startCommand("publish", environment);
        let left = 1 + Math.floor(Math.random() * (length - 2));
        store.onRequest = (request) => {
          watch(request);
          left -= 1;
          if (left === 0) child.kill("SIGKILL");
        };
        const { code, stderr } = await ended;
        expect([0, null], stderr).toContain(code);
        killed += Number(code === null);
        await sleep(20); // requests that the killed process had sent
        store.requests.length = 0;
        await publishHere(store, data);
        expect(misses).toEqual([]);
        expect(describeStore(store), `round ${round}`).toEqual(undisturbed);
      }
      expect(killed).toBeGreaterThan(proofs.killedPublishes / 2);
    },
    600_000,
  );

  it("does only what is left when it is run again", async () => {
    const keys = [...(publicFiles.get(first)?.keys() ?? [])].filter((key) => !key.includes("/downloads/"));
    // The store takes a few pages, and then fails for good.
    let puts = 0;
    store.faultOf = ({ method, key }) => {
      puts += Number(method === "PUT" && keys.includes(key));
      return puts > 5 ? "reset" : undefined;
    };
    await expect(publishRelease(first)).rejects.toThrow(/the store did not answer, in several attempts/);
    store.faultOf = () => undefined;
    const state = JSON.parse(store.objects.get(`${prefix}publish.json`)?.body.toString() ?? "");
    expect(state).toMatchObject({ release: null });
    const held = new Set(store.objects.keys());
    const done = keys.filter((key) => held.has(key)).length;
    expect(done).toBeGreaterThan(0);
    store.requests.length = 0;
    const result = await publishHere(store, data);
    expect(result?.uploaded).toBe((publicFiles.get(first)?.size ?? 0) - done);
    const parts = store.requests.flatMap(({ method, key }) =>
      method === "PUT" && key.includes("/releases/") ? [key] : [],
    );
    expect(parts.filter((key) => held.has(key))).toEqual([]);
    expect(describeStore(store)).toEqual(await describeUndisturbed());
  });

  it("repairs after a kill what it had uploaded, also when it then publishes another release", async () => {
    holdFirst();
    // The store takes no more than the first page: the server's parts are missing, too.
    let isStopped = false;
    store.faultOf = ({ method, key }) => {
      const isPut = method === "PUT" || method === "POST";
      isStopped ||= isPut && key.includes("/public/");
      return isStopped && isPut ? "reset" : undefined;
    };
    await expect(publishRelease(other)).rejects.toThrow(/the store did not answer, in several attempts/);
    expect(store.objects.has(`${prefix}releases/${other}/manifest.json`)).toBe(true);
    store.faultOf = () => undefined;
    await activateRelease(data, night);
    await publishHere(store, data);
    const expected = publicFiles.get(night) ?? new Map<string, Buffer>();
    for (const [key, body] of expected) expect(store.objects.get(key)?.body.equals(body), key).toBe(true);
  });

  it("writes no status if a part for servers cannot be uploaded", async () => {
    let puts = 0;
    store.faultOf = ({ method, key }) => {
      puts += Number(method === "PUT" && key.includes("/public/"));
      return key.endsWith(`${first}/records`) ? "reset" : undefined;
    };
    await expect(publishRelease(first)).rejects.toThrow(/records: the store did not answer/);
    const kept = JSON.parse(store.objects.get(`${prefix}publish.json`)?.body.toString() ?? "");
    expect(kept).toMatchObject({ release: null, publisher: null });
    expect(store.objects.has(`${prefix}public/v1/status`)).toBe(false);
    expect(puts).toBeGreaterThan(0);
  });

  itWhole("loses nothing if the store is busy, breaks connections and cuts bodies off", async () => {
    const undisturbed = await describeUndisturbed(other);
    store.requests.length = 0;
    store.faultOf = failFirst(1, ["busy", "reset", "lost", "truncated"]);
    await publishRelease(first);
    await publishRelease(other);
    store.faultOf = () => undefined;
    expect(store.requests.length).toBeGreaterThan(100);
    expect(describeStore(store)).toEqual(undisturbed);
  });

  itWhole("stops if another publisher is at work, which ends undisturbed", async () => {
    holdFirst();
    await activateRelease(data, other);
    let second: Promise<unknown> | undefined;
    store.onRequest = ({ key }) => {
      if (second !== undefined || !key.endsWith("history-100-0.json")) return;
      second = publishHere(store, data).then(
        () => "published",
        (error: unknown) => String(error),
      );
    };
    // The first one is slow: it is at work until the second one has looked twice.
    const purge = async () => void (await second);
    await publishHere(store, data, {}, { purge });
    expect(await second).toMatch(/LockedError: .*another publish is at work/);
    expect(describeStore(store)).toEqual(await describeUndisturbed(other));
  });

  it("stops if another publisher took over", async () => {
    holdFirst();
    await activateRelease(data, other);
    let isTaken = false;
    store.onRequest = ({ key, method }) => {
      if (isTaken || method !== "PUT" || !key.includes("/public/")) return;
      isTaken = true;
      store.put(
        `${prefix}publish.json`,
        Buffer.from('{"version":2,"release":null,"publisher":"another","beat":0}'),
      );
    };
    const purge = () => sleep(400);
    await expect(publishHere(store, data, {}, { purge })).rejects.toThrow(/another publish took over/);
    expect(store.objects.get(`${prefix}publish.json`)?.body.toString()).toContain("another");
  });
});

describe("a publish without a usable bucket", () => {
  it.each([
    [
      "an address that is none",
      { TO: "bucket/prefix" },
      'TO must be a bucket such as s3://bucket or s3://bucket/prefix, got "bucket/prefix"',
    ],
    ["a bucket that does not exist", { TO: "s3://no-such-bucket" }, "there is no such bucket"],
    ["an unknown access key", { AWS_ACCESS_KEY_ID: "unknown" }, "the store does not know the access key"],
    ["a CDN without its settings", { PURGE: "cloudflare" }, "PURGE=cloudflare needs PURGE_URL"],
    ["a data folder without a release", { DATA: "/nowhere" }, "holds no release to publish"],
  ])("says what is wrong with %s", async (_, settings, message) => {
    const environment = { ...store.environment, TO: `s3://${store.bucket}/live`, DATA: data, ...settings };
    const { code, stderr } = await runCommand(["publish"], environment);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
