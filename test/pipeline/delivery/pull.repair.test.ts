// Tests that a pull finds what is damaged in the releases that a machine has already, and replaces it.
import {
  copyFile,
  mkdtemp,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Store } from "../base/bucket/store.fixture.ts";
import { digestFolder, runCommand } from "../release.fixture.ts";
import { expectNoLeftovers, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";
import { publishHere } from "./publish.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let root = "";
let data = "";
let store: Store;
type Published = Awaited<ReturnType<typeof publishNext>>;
/** Two releases with the same pages. */
let first: Published;
let second: Published;
const page = "public/v1/funders/100000003/history-100-0.json.gz";

/** Makes a release from a new file of the warehouse with the same rows, and publishes it. */
async function publishNext(name: string) {
  const publisher = join(root, "publisher");
  const warehouse = await put(`../${name}.parquet`, spread(10), "FROM range(30) t(i)");
  const release = await syncHere(warehouse, publisher, { FORCE: "1" });
  await publishHere(store, publisher);
  return {
    id: release.split("/").at(-1) ?? "",
    files: await digestFolder(release),
    objects: new Map(store.objects),
  };
}

function hold({ objects }: Published): void {
  store.objects.clear();
  for (const [key, object] of objects) store.objects.set(key, object);
  store.requests.length = 0;
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "pull-"));
  store = await Store.start();
  first = await publishNext("first");
  second = await publishNext("second");
});

beforeEach(async () => {
  data = await mkdtemp(join(root, "data-"));
});

afterAll(async () => {
  await store.stop();
  await rm(root, { recursive: true });
});

function pull(environment: Record<string, string> = {}) {
  const from = { FROM: `s3://${store.bucket}/live`, DATA: data };
  return runCommand(["pull"], { ...store.environment, ...from, ...environment });
}

const pathOf = ({ id }: Published, part: string) => join(data, "releases", id, part);

/** Replaces a file, because its inode may belong to other releases too. */
async function flip(path: string): Promise<void> {
  const body = await readFile(path);
  body.writeUInt8(body.readUInt8(9) ^ 1, 9);
  await rm(path);
  await writeFile(path, body);
}

async function cut(path: string): Promise<void> {
  await copyFile(path, `${path}.copy`);
  await rm(path);
  await copyFile(`${path}.copy`, path);
  await rm(`${path}.copy`);
  await truncate(path, 9);
}

/** Files that are read anew for every release. */
const unshared = /\/v1\/(?:changes|downloads)\//;

const publicGets = () =>
  store.requests
    .filter(({ method, key }) => method === "GET" && key.includes("/public/") && !unshared.test(key))
    .map(({ key }) => key);

async function expectCurrent(release: Published): Promise<void> {
  expect(await readlink(join(data, "current"))).toBe(`releases/${release.id}`);
  expect(await digestFolder(join(data, "releases", release.id))).toEqual(release.files);
  await expectNoLeftovers(data);
}

describe("a pull of the current release", () => {
  it.each([
    ["deleted manifest", "manifest.json", rm],
    ["truncated part", "records", cut],
    ["flipped table of pages", "pages", flip],
    ["deleted file of the site", "public/index.html", rm],
  ])("replaces it if it has a %s", async (_, part, damage) => {
    hold(first);
    expect(await pull()).toMatchObject({ code: 0 });
    await damage(pathOf(first, part));
    expect(await pull()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${first.id} is current`),
    });
    await expectCurrent(first);
    expect((await pull()).stdout).toContain("nothing new");
  });

  it("downloads only the public files that are damaged, and the parts", async () => {
    hold(first);
    await pull();
    await cut(pathOf(first, page));
    await flip(pathOf(first, page.replace("100000003", "100000004")));
    store.requests.length = 0;
    await pull();
    expect(publicGets().sort()).toEqual([
      "live/public/v1/funders/100000003/history-100-0.json",
      "live/public/v1/funders/100000004/history-100-0.json",
    ]);
    await expectCurrent(first);
  });

  it("finds a flipped bit that no size shows within 16 runs, and says how much each compared", async () => {
    hold(first);
    await pull();
    expect((await pull()).stdout).toMatch(
      /nothing new; .* [\d,]+ files compared by size, [\d,]+ of them by digest/,
    );
    await flip(pathOf(first, page));
    for (let run = 1, line = "nothing new"; line.includes("nothing new"); run++) {
      expect(run).toBeLessThanOrEqual(16);
      line = (await pull()).stdout;
    }
    await expectCurrent(first);
  });

  it("removes files of changes that the bucket's index does not name", async () => {
    hold(first);
    await pull();
    const old = join(data, "changes", "20200101T000000Z_20200102T000000Z.parquet");
    await writeFile(old, "old");
    await pull();
    expect(await stat(old).catch(() => undefined)).toBeUndefined();
  });

  it("replaces everything with FORCE=1", async () => {
    hold(first);
    await pull();
    await flip(pathOf(first, page));
    store.requests.length = 0;
    await pull({ FORCE: "1" });
    expect(publicGets().length).toBe(
      Object.keys(first.files).filter(
        (path) => /^public\/(?!v1\/changes$)/.test(path) && !unshared.test(path),
      ).length,
    );
    await expectCurrent(first);
  });
});

describe("a pull of another release", () => {
  it("does not share a damaged page with the current release", async () => {
    hold(first);
    await pull();
    await flip(pathOf(first, page));
    hold(second);
    expect(await pull()).toMatchObject({ code: 0 });
    expect(publicGets()).toContain("live/public/v1/funders/100000003/history-100-0.json");
    await expectCurrent(second);
  });

  it("replaces a kept release that verification finds damaged", async () => {
    hold(first);
    await pull();
    hold(second);
    await pull();
    await flip(pathOf(first, page));
    hold(first); // published again after a rollback
    const { code, stderr } = await pull();
    expect([code, stderr]).toEqual([0, expect.stringMatching(/history-100-0.*\nit is replaced/s)]);
    await expectCurrent(first);
  });

  it("succeeds with a warning if old releases cannot be removed", async () => {
    hold(first);
    await pull();
    hold(second);
    await symlink("rollbacks.json", join(data, "rollbacks.json")); // cannot be read, even by root
    const { code, stderr } = await pull({ KEEP: "1" });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `warning: release ${second.id} is current, but old releases were not removed: ELOOP`,
      ),
    ]);
  });
});
