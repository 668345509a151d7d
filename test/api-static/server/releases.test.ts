// Tests which releases are open: each once, and none that cannot be used.
import { execFile } from "node:child_process";
import { readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ein } from "../../../api-static/contract/ein.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { OrganizationSearch } from "../../../api-static/search/names/organizationSearch.ts";
import { Release } from "../../../api-static/search/release.ts";
import { Releases } from "../../../api-static/server/releases.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { repository, useRelease } from "./release.fixture.ts";
import { openReleases, useCopies } from "./releases.fixture.ts";
import { until } from "./socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const made = useCopies(served);
const { id, folder } = made;
const status = (number: number) => `/r/${id(number)}/v1/status`;

let here: Awaited<ReturnType<typeof openReleases>>;

/** Makes a release the current one, as a sync or a rollback does. */
async function activate(number: number): Promise<void> {
  await activateRelease(made.data(), id(number));
  await here.check();
}

beforeEach(async () => {
  await activateRelease(made.data(), id(3));
  here = await openReleases(made.data());
});
afterEach(() => {
  here.close();
  vi.restoreAllMocks();
});

/** Makes a release one that is not kept, as a sync does, which closes it. */
async function prune(number: number): Promise<void> {
  await rename(folder(number), `${folder(number)}.pruned`);
  await here.check();
}

const restore = (number: number) => rename(`${folder(number)}.pruned`, folder(number));

const untilSize = (size: number) => until(() => (here.releases.size === size ? true : undefined)); // closing takes a few turns

/** True if another process cannot open the index for writing, which is how a sync sees that a release is in use. */
async function isLocked(folder: string): Promise<boolean> {
  const script = `
    import { DuckDBInstance } from "@duckdb/node-api";
    try {
      (await DuckDBInstance.create(process.env.INDEX)).closeSync();
      console.log("free");
    } catch (error) {
      console.log(/could not set lock/i.test(error.message) ? "locked" : error.message);
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: repository,
    env: { ...process.env, INDEX: join(folder, parts.index) },
  });
  expect(stdout).toMatch(/^(free|locked)$/m);
  return stdout.trim() === "locked";
}

describe("a release", () => {
  it("is opened once for many requests, and shared if it is the current one", async () => {
    const answers = Array.from({ length: 20 }, () => here.ask(`/r/${id(1)}/v1/history?limit=2`));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    expect(here.releases.size).toBe(2);
    await here.ask(status(3));
    expect(here.releases.size).toBe(2);
  });

  it("is opened again only after it is closed, so that it keeps its lock", async () => {
    const ended = Promise.withResolvers<void>();
    const first = await here.releases.enter(id(1));
    const query = first?.search.query("131635294" as Ein, () => ended.promise);
    first?.leave();
    await prune(1);
    await restore(1);
    await here.check();
    const entering = here.releases.enter(id(1));
    let isEntered = false;
    void entering.then(() => {
      isEntered = true;
    });
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(isEntered).toBe(false);
    ended.resolve();
    await query;
    const second = await entering;
    expect(second).not.toBe(first);
    expect(await second?.search.find({}, 1, 0)).toMatchObject({ total: served().lines.length });
    expect(await isLocked(folder(1))).toBe(true);
    second?.leave();
    await prune(1);
    await untilSize(1);
    expect(await isLocked(`${folder(1)}.pruned`)).toBe(false);
    await restore(1);
  });
});

describe("a release that cannot be closed", () => {
  it("is logged, and the server continues", async () => {
    const pinned = await here.releases.enter(id(1));
    vi.spyOn(pinned?.search as Release["search"], "close").mockRejectedValueOnce(new Error("stuck"));
    pinned?.leave();
    await prune(1);
    await untilSize(1);
    await restore(1);
    expect(here.log.slice(1)).toStrictEqual([`${folder(1)} could not be closed: stuck`]);
    expect((await here.ask("/v1/status")).status).toBe(200);
    await pinned?.search.close(); // for other tests
  });
});

describe("a list of releases that cannot be read", () => {
  it("leaves the last one, and is logged once", async () => {
    expect((await here.ask(status(1))).status).toBe(200);
    const releases = join(made.data(), "releases");
    await rename(releases, `${releases}.away`);
    await symlink(releases, releases);
    await here.check();
    await here.check();
    expect((await here.ask(status(1))).status).toBe(200);
    expect(here.log.filter((line) => line.startsWith(`cannot list ${releases}: `)).length).toBe(1);
    await rm(releases);
    await rename(`${releases}.away`, releases);
  });
});

describe("the index of a release", () => {
  it("is in memory only as long as the release is the current one", async () => {
    const current = here.releases.current;
    expect(current?.search.heldBytes).toBeGreaterThan(10_000);
    const pinned = await here.releases.enter(id(1));
    const find = (release?: Release) => release?.search.find({ purpose: "e" }, 9, 0);
    const found = [await find(current), await find(pinned)];
    expect(pinned?.search.heldBytes).toBe(0);
    current?.enter();
    await activate(1); // a rollback
    expect(here.releases.current).toBe(pinned);
    expect(pinned?.search.heldBytes).toBeGreaterThan(10_000);
    expect(current?.search.heldBytes).toBe(0);
    expect([await find(current), await find(pinned)]).toStrictEqual(found);
    current?.leave();
    pinned?.leave();
    expect(here.releases.size).toBe(2);
  });
});

describe("the first release", () => {
  /** Releases of the same folder as those of a server that starts. */
  async function start() {
    const log: string[] = [];
    const record = (line: string) => log.push(line);
    const started = new Releases({
      data: made.data(),
      maxBytes: 2 ** 30,
      now: () => 0,
      log: { info: record, error: record },
    });
    const checked = started.check();
    await Promise.race([started.served, checked]);
    return { started, checked, log };
  }
  const find = (release?: Release) => release?.search.find({ purpose: "e" }, 9, 0);

  it("answers from disk until its index is in memory", async () => {
    const { started, checked } = await start();
    const release = started.current;
    expect(release?.search.heldBytes).toBe(0);
    const early = await find(release);
    expect(early?.total).toBeGreaterThan(9);
    await checked;
    expect(release?.search.heldBytes).toBeGreaterThan(10_000);
    expect(await find(release)).toStrictEqual(early);
    started.close();
    await release?.closed;
  });

  it("closes if the server ends before its index is in memory", async () => {
    const { started, checked, log } = await start();
    const release = started.current;
    started.close();
    await checked;
    await release?.closed;
    expect([started.current, started.size]).toStrictEqual([undefined, 0]);
    expect(log).toStrictEqual([`release ${id(3)} is served`]);
  });

  it("is not served any more if its index cannot be read, and is not tried again at once", async () => {
    const load = vi.spyOn(OrganizationSearch.prototype, "load").mockRejectedValue(new Error("EIO"));
    const { started, checked, log } = await start();
    await checked;
    await started.check();
    expect(load).toHaveBeenCalledTimes(1);
    expect([started.current, started.size]).toStrictEqual([undefined, 0]);
    expect(log).toStrictEqual([
      `release ${id(3)} is served`,
      expect.stringMatching(/cannot be served: EIO$/),
    ]);
  });
});

describe("a release that cannot be opened", () => {
  /** The lines logged since the start, except the one about the first release. */
  const problems = () => here.log.slice(1);

  /** Replaces text in a file of the same size, so that the folder does not change. */
  async function replace(path: string, change: (text: string) => string): Promise<() => Promise<void>> {
    const before = await readFile(path);
    await writeFile(path, change(before.toString("latin1")), "latin1");
    return () => writeFile(path, before);
  }

  it("is refused with one line if another version made it, and the previous one is still served", async () => {
    const older = (text: string) => text.replace(/"schema_version": \d+/, '"schema_version": 17');
    const restore = await replace(join(folder(1), parts.manifest), older);
    for (let times = 0; times < 3; times++) await activate(1);
    expect((await here.ask("/v1/status")).headers.get("X-Release")).toBe(id(3));
    expect(problems()).toStrictEqual([
      expect.stringMatching(
        /cannot be served: its schema_version is 17, but this version of the server reads \d+$/,
      ),
    ]);
    await restore();
  });

  it("is tried again when its folder has changed, or after a minute, and logged once", async () => {
    const opened = vi.spyOn(Release, "open");
    const index = join(folder(1), parts.index);
    const restore = await replace(index, (text) => text.slice(1) + text[0]);
    const checks = async () => {
      for (let times = 0; times < 3; times++) await activate(1);
      return opened.mock.calls.length;
    };
    expect(await checks()).toBe(1);
    here.turn(59_000);
    expect(await checks()).toBe(1);
    here.turn(1_000);
    expect(await checks()).toBe(2);
    await restore();
    await rename(index, `${index}.away`);
    await rename(`${index}.away`, index);
    expect(await checks()).toBe(3);
    expect(here.releases.current?.facts.release).toBe(id(1));
    expect(problems()).toStrictEqual([
      expect.stringContaining("cannot be served"),
      `release ${id(1)} is served`,
    ]);
  });

  it("is not found if it is pinned, which is logged once", async () => {
    const part = join(folder(1), parts.offsets);
    await rename(part, `${part}.away`);
    for (let times = 0; times < 3; times++) {
      const answer = await here.ask(status(1));
      expect([answer.status, await answer.json()]).toMatchObject([404, { code: "release_not_found" }]);
    }
    expect(problems()).toStrictEqual([expect.stringContaining(`release ${id(1)} cannot be opened: `)]);
    expect(here.releases.size).toBe(1);
    await rename(`${part}.away`, part);
    expect((await here.ask(status(1))).status).toBe(200);
  });
});
