// Tests what people do with earlier releases: list them, go back to one, and keep those in use.
import { cp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { pruneReleases } from "../../../pipeline/releases/retention.ts";
import { rollback } from "../../../pipeline/rollback.ts";
import { readPort, type ServerProcess, startServer } from "../../api-static/server/socket.fixture.ts";
import { digestFolder, type Ended, runCommand } from "../release.fixture.ts";
import { findProblems, findRelease, readFunders, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let [made, warehouse, data] = ["", "", ""];
let ids: string[] = [];

const run = (command: string, environment: Record<string, string> = {}): Promise<Ended> =>
  runCommand([command], { WAREHOUSE: warehouse, DATA: data, ...environment });
const currentId = async () => (await findRelease(data)).split("/").at(-1);
const clauses = (rows: number) => `FROM range(${rows}) t(i)`;

/** Three releases, and the warehouse of the last. */
beforeAll(async () => {
  made = join(folder.root, "made");
  for (const rows of [140, 150, 160]) {
    warehouse = await put(join(folder.root, "w.parquet"), spread(5), clauses(rows));
    await syncHere(warehouse, made);
  }
});

beforeEach(async () => {
  data = join(folder.home, "data");
  await cp(made, data, { recursive: true, verbatimSymlinks: true });
  ids = (await readdir(join(data, "releases"))).sort();
});

describe("make releases", () => {
  it("lists the newest first, with time, records, funders and size, and names the current one", async () => {
    const [first = "", second = "", third = ""] = ids;
    const { code, stdout } = await run("releases");
    expect(code).toBe(0);
    const [head, ...lines] = stdout.trimEnd().split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["release", "synced at", "records", "funders", "MB"]);
    const time = (id: string) =>
      `${id.slice(0, 4)}-${id.slice(4, 6)}-${id.slice(6, 11)}:${id.slice(11, 13)}:${id.slice(13)}`;
    expect(lines.map((line) => line.split(/ +/).filter((_, column) => column !== 4))).toEqual([
      [third, time(third), "160", "5", "current"],
      [second, time(second), "150", "5"],
      [first, time(first), "140", "5"],
    ]);
    for (const line of lines) expect(Number(line.split(/ +/)[4])).toBeGreaterThanOrEqual(1);
  });

  it("names each release that is damaged or cannot be read, and reports an empty data folder", async () => {
    await writeFile(join(data, "releases", ids[1] ?? "", "manifest.json"), "{}");
    const unreadable = join(data, "releases", ids[0] ?? "", "manifest.json");
    await rm(unreadable);
    await symlink("manifest.json", unreadable);
    const { stdout } = await run("releases");
    expect(stdout).toMatch(new RegExp(`\\n${ids[1]} +damaged\\n${ids[0]} +unreadable \\(ELOOP\\)\\n`));
    expect((await run("releases", { DATA: join(folder.home, "none") })).stdout).toBe(
      `DATA "${join(folder.home, "none")}" holds no releases yet. Run \`make sync\` to make one.\n`,
    );
  });
});

describe("make rollback", () => {
  const listed = "rollback-changes.json";
  const notesOf = async () => {
    const lines = (await run("releases")).stdout.trimEnd().split("\n").slice(1);
    return lines.map((line) => line.split(/ {2,}/).slice(5).join(" "));
  };

  it("makes an earlier release current and lists what to purge", async () => {
    const [first = "", second = "", third = ""] = ids;
    const before = await digestFolder(join(data, "releases"));
    expect(await run("rollback", { TO: first })).toMatchObject({
      code: 0,
      stdout: `rollback: release ${first} is current; "purge" in ${join(data, listed)} lists what a CDN should purge\n`,
    });
    expect(await currentId()).toBe(first);
    expect(await digestFolder(join(data, "releases"))).toEqual(before);
    const funders = [...(await readFunders(await findRelease(data))).keys()];
    expect(JSON.parse(await readFile(join(data, listed), "utf8"))).toMatchObject({
      added: [],
      changed: funders.map(String),
      removed: [],
      purge: [
        ...[
          "/v1/history*",
          "/v1/funders/*/summary",
          "/v1/funders/*/peers",
          "/v1/recipients/*",
          "/v1/grants/*",
          "/v1/organizations*",
          "/v1/names*",
        ],
        ...funders.map((ein) => `/v1/funders/${ein}/*`),
        "/v1/downloads/*",
      ],
    });
    expect(await run("rollback", { TO: first })).toMatchObject({
      code: 0,
      stdout: `rollback: release ${first} was already current\n`,
    });
    await writeFile(join(data, "releases", second, "manifest.json"), "{}");
    await symlink(`releases/${second}`, join(data, "next"));
    await rename(join(data, "next"), join(data, "current"));
    expect((await run("rollback", { TO: third })).code).toBe(0);
    const { purge } = JSON.parse(await readFile(join(data, listed), "utf8")) as { purge: string[] };
    expect(purge).toEqual(["/*"]); // what was served is unknown
  });

  it("keeps syncs from building the same release again, even after it is pruned, unless forced", async () => {
    const [first = "", , third = ""] = ids;
    expect((await run("rollback", { TO: first })).code).toBe(0);
    expect(await notesOf()).toEqual(["rolled back", "", "current"]);
    const unchanged = {
      code: 0,
      stdout:
        `sync: nothing new in the warehouse since release ${third}, which was rolled back; release ${first} stays current. ` +
        "To build a release from it anyway, run `make sync FORCE=1`.\n",
      stderr: "",
    };
    expect(await run("sync")).toEqual(unchanged);
    await rm(join(data, "releases", third), { recursive: true });
    expect(await run("sync")).toEqual(unchanged);
    expect(await currentId()).toBe(first);

    const forced = await run("sync", { FORCE: "1" });
    const id = (await currentId()) ?? "";
    expect(forced.stdout, forced.stderr).toContain(`sync: release ${id}, 160 grants`);
    expect((await run("sync")).stdout).toBe(
      `sync: nothing new in the warehouse; release ${id} stays current\n`,
    );
    expect(await findProblems(await findRelease(data))).toBe("");
  });

  it("lets syncs go forward with new rows, and with the old ones after a rollback to their release", async () => {
    const [first = "", second = "", third = ""] = ids;
    for (const to of [second, first]) expect((await run("rollback", { TO: to })).code).toBe(0);
    expect(await notesOf()).toEqual(["rolled back", "rolled back", "current"]);
    expect((await run("sync")).stdout).toContain("rolled back");
    expect((await run("rollback", { TO: third })).code).toBe(0);
    expect(await notesOf()).toEqual(["current", "rolled back", ""]);
    expect((await run("rollback", { TO: first })).code).toBe(0);
    const more = await put("more.parquet", spread(5), clauses(170));
    expect((await run("sync", { WAREHOUSE: more })).stdout).toContain("170 grants");
  });

  it("is forgotten with a warning when its record is damaged", async () => {
    expect((await run("rollback", { TO: ids[0] ?? "" })).code).toBe(0);
    await writeFile(join(data, "rollbacks.json"), '[{"from":1}]');
    const { code, stdout, stderr } = await run("sync");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("160 grants") });
    expect(stderr).toContain(
      `warning: "${join(data, "rollbacks.json")}" is damaged; a release that was rolled back may be built again\n`,
    );
  });

  it("counts as the last use of a release, even if the clock was set back", async () => {
    const [first = "", second = "", third = ""] = ids;
    const progress = new Progress({ write: () => true }, () => performance.now());
    const release = { data, id: first, memory: "1GB", threads: 1 };
    await rollback(release, { progress, clock: () => new Date(0) });
    await activateRelease(data, third); // as the next sync does with its own
    expect(await pruneReleases(data, 2, () => {})).toEqual([second]);
  });

  it("does not make a damaged release current", async () => {
    const [first = "", , third = ""] = ids;
    const page = "public/v1/funders/100000002/history-100-0.json.gz";
    await writeFile(join(data, "releases", first, page), "other");
    const { code, stderr, stdout } = await run("rollback", { TO: first });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`${first} does not match its manifest:\n  ${page} has unexpected content\n`);
    expect(await currentId()).toBe(third);
  });

  it("refuses a release that does not exist", async () => {
    for (const to of ["", "20200101T000000Z", "../releases", `${ids[0]}/`]) {
      const { code, stderr } = await run("rollback", { TO: to });
      expect(stderr).toBe(
        `rollback: TO must name a release (one of ${ids.join(", ")}), got ${JSON.stringify(to)}\n`,
      );
      expect(code).toBe(2);
    }
    expect(await currentId()).toBe(ids[2]);
  });
});

describe("retention", () => {
  let server: ServerProcess | undefined;
  afterEach(async () => {
    server?.child.kill("SIGKILL");
    await server?.ended;
    server = undefined;
  });

  it("keeps three releases by default, those that were current last, and the current one even if it is the oldest", async () => {
    const [first = "", , third = ""] = ids;
    await run("rollback", { TO: first });
    const forced = await run("sync", { FORCE: "1" });
    const next = forced.stdout.slice("sync: release ".length).slice(0, first.length);
    const folders = () => readdir(join(data, "releases")); // a thread removes others after the command
    await expect.poll(folders, { timeout: 20_000 }).toEqual([first, third, next]);
    await syncHere(warehouse, data, { FORCE: "1", KEEP: "1" });
    expect(await readdir(join(data, "releases"))).toEqual([await currentId()]);
  });

  it("only renames a release that a server has open, and removes it later", async () => {
    const [first = "", second = ""] = ids;
    await run("rollback", { TO: first });
    server = startServer({ DATA: data, PORT: "0" });
    const address = `http://127.0.0.1:${await readPort(server)}`;
    const path = "/v1/funders/100000002/history?transaction_year=2016&limit=2";
    const answer = await (await fetch(address + path)).text();
    // The server checks `current` now and then. While it is stopped, it keeps what it has open.
    server.child.kill("SIGSTOP");
    await syncHere(warehouse, data, { FORCE: "1", KEEP: "1" });
    const kept = await readdir(join(data, "releases"));
    expect(kept).toEqual([expect.stringMatching(/-.+\.pruned$/), await currentId()]);
    expect(kept).not.toContain(second);
    expect(await findProblems(join(data, "releases", kept[0] ?? ""))).toBe("");
    server.child.kill("SIGCONT");
    expect(await (await fetch(address + path)).text()).toMatch(/"total":\d+,"limit":2,"offset":0\}\n$/);
    expect(answer).toMatch(/"total":\d+,"limit":2,"offset":0\}\n$/);
    server.child.kill("SIGKILL");
    await server.ended;
    await syncHere(warehouse, data, { FORCE: "1", KEEP: "1" });
    expect(await readdir(join(data, "releases"))).toEqual([await currentId()]);
  });
});
