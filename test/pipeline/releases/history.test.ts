// Owns the proof of what people do with earlier releases: list them, go back to one, and keep those that are in use.
import { cp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPort, type ServerProcess, startServer } from "../../api-static/server/socket.fixture.ts";
import { digestFolder, type Ended, runCommand } from "../release.fixture.ts";
import { findProblems, findRelease, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let [warehouse, data] = ["", ""];
let ids: string[] = [];

const run = (command: string, environment: Record<string, string> = {}): Promise<Ended> =>
  runCommand([command], { WAREHOUSE: warehouse, DATA: data, ...environment });
const currentId = async () => (await findRelease(data)).split("/").at(-1);
const clauses = (rows: number) => `FROM range(${rows}) t(i)`;

beforeEach(async () => {
  data = join(folder.home, "data");
  const made = join(folder.root, "made");
  for (const rows of [1_200, 1_250, 1_300]) {
    warehouse = await put("w.parquet", spread(5), clauses(rows));
    if (!(await pathExists(join(folder.root, "whole")))) await syncHere(warehouse, made);
  }
  await writeFile(join(folder.root, "whole"), "");
  await cp(made, data, { recursive: true, verbatimSymlinks: true });
  ids = (await readdir(join(data, "releases"))).sort();
});

describe("make releases", () => {
  it("lists the newest first, with time, records, funders and size, and tells the current one", async () => {
    const [first = "", second = "", third = ""] = ids;
    const { code, stdout } = await run("releases");
    expect(code).toBe(0);
    const [head, ...lines] = stdout.trimEnd().split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["release", "synced at", "records", "funders", "MB"]);
    const time = (id: string) =>
      `${id.slice(0, 4)}-${id.slice(4, 6)}-${id.slice(6, 11)}:${id.slice(11, 13)}:${id.slice(13)}`;
    expect(lines.map((line) => line.split(/ +/).filter((_, column) => column !== 4))).toEqual([
      [third, time(third), "1,300", "5", "current"],
      [second, time(second), "1,250", "5"],
      [first, time(first), "1,200", "5"],
    ]);
    for (const line of lines) expect(Number(line.split(/ +/)[4])).toBeGreaterThanOrEqual(1);
  });

  it("says which release is damaged, and that there is none", async () => {
    await writeFile(join(data, "releases", ids[1] ?? "", "manifest.json"), "{}");
    const { stdout } = await run("releases");
    expect(stdout).toMatch(new RegExp(`\\n${ids[1]} +damaged\\n`));
    expect((await run("releases", { DATA: join(folder.home, "none") })).stdout).toBe(
      `DATA "${join(folder.home, "none")}" holds no releases yet: run make sync\n`,
    );
  });
});

describe("make rollback", () => {
  it("names an earlier release current, and the next sync goes forward again", async () => {
    const [first = "", , third = ""] = ids;
    const before = await digestFolder(join(data, "releases"));
    const back = await run("rollback", { TO: first });
    expect(back).toMatchObject({ code: 0, stdout: `rollback: release ${first} is current\n` });
    expect(await currentId()).toBe(first);
    expect(await digestFolder(join(data, "releases"))).toEqual(before);
    const forward = await run("sync");
    expect(forward.code, forward.stderr).toBe(0);
    const id = (await currentId()) ?? "";
    expect(id > third).toBe(true);
    expect(forward.stdout).toContain(`sync: release ${id}, 1,300 grants`);
    expect(await findProblems(await findRelease(data))).toBe("");
  });

  it("refuses a damaged release and keeps the current one", async () => {
    const [first = "", , third = ""] = ids;
    const page = "public/v1/funders/100000002/history-100-0.json.gz";
    await writeFile(join(data, "releases", first, page), "other");
    const { code, stderr, stdout } = await run("rollback", { TO: first });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(
      `${first} is not what was sealed:\n  ${page} has other content than was sealed\n`,
    );
    expect(await currentId()).toBe(third);
  });

  it("asks for a release that is there", async () => {
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

  it("keeps the last three of itself, and the current one whatever its age", async () => {
    const [first = "", second = "", third = ""] = ids;
    await run("rollback", { TO: first });
    const next = (await run("sync")).stdout.slice("sync: release ".length).slice(0, first.length);
    expect(await readdir(join(data, "releases"))).toEqual([second, third, next]);
    await syncHere(warehouse, data, { FORCE: "1", KEEP: "1" });
    expect(await readdir(join(data, "releases"))).toEqual([await currentId()]);
  });

  it("puts a release that a server has open only out of sight, and removes it later", async () => {
    const [first = "", second = ""] = ids;
    await run("rollback", { TO: first });
    server = startServer({ DATA: data, PORT: "0" });
    const address = `http://127.0.0.1:${await readPort(server)}`;
    const path = "/v1/funders/100000002/history?transaction_year=2016&limit=2";
    const answer = await (await fetch(address + path)).text();
    // The server looks at `current` now and then: stopped, it holds on to what it has open.
    server.child.kill("SIGSTOP");
    await syncHere(warehouse, data, { FORCE: "1", KEEP: "1" });
    const kept = await readdir(join(data, "releases"));
    expect(kept).toEqual([`${first}.pruned`, await currentId()]);
    expect(kept).not.toContain(second);
    expect(await findProblems(join(data, "releases", `${first}.pruned`))).toBe("");
    server.child.kill("SIGCONT");
    expect(await (await fetch(address + path)).text()).toMatch(/"total":\d+,"limit":2,"offset":0\}\n$/);
    expect(answer).toMatch(/"total":\d+,"limit":2,"offset":0\}\n$/);
    server.child.kill("SIGKILL");
    await server.ended;
    await syncHere(warehouse, data, { FORCE: "1", KEEP: "1" });
    expect(await readdir(join(data, "releases"))).toEqual([await currentId()]);
  });
});
