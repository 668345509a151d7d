// Tests several processes behind one port: their start, the death of one or of many, signals, and the sum of their metrics.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { useFolder } from "../../pipeline/warehouse/warehouse.fixture.ts";
import { repository, useRelease } from "./release.fixture.ts";
import { askRaw, readMetrics, readPort, type ServerProcess, startServer, until } from "./socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
let running: ServerProcess[] = [];

afterEach(async () => {
  for (const { child, ended } of running) {
    for (const pid of childrenOf(child.pid)) kill(pid);
    child.kill("SIGKILL");
    await ended;
  }
  running = [];
});

function start(environment: Record<string, string>, checkout?: string): ServerProcess {
  const server = startServer({ DATA: served().data, PORT: "0", ...environment }, checkout);
  running.push(server);
  return server;
}

async function startWorkers(count: number, checkout?: string) {
  const server = start({ WORKERS: String(count) }, checkout);
  const port = await readPort(server);
  return { server, port, pids: () => childrenOf(server.child.pid) };
}

/** The processes that a process started. */
function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .map(Number)
      .filter((child) => child > 0);
  } catch {
    return []; // the process has ended
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // the process has ended
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const gone = (pids: number[]) => until(() => (pids.some(isAlive) ? undefined : true));

/** Searches that have arrived: answered, running or waiting. */
async function countArrived(server: ServerProcess): Promise<number> {
  const text = await readMetrics(server);
  const counts =
    /^grants_server_(?:searches\{state="\w+"\}|requests_total\{route="\/v1\/history"[^}]*\}) (\d+)$/gm;
  return [...text.matchAll(counts)].reduce((sum, [, count]) => sum + Number(count), 0);
}

const search = "/v1/history?purpose=a&limit=1000";

describe("several WORKERS", () => {
  it("give the same answers behind one port, report it in one line, sum their metrics, and replace one that is killed", async () => {
    const { server, port, pids } = await startWorkers(3);
    expect(pids().length).toBe(3);
    const bodies = await Promise.all(Array.from({ length: 30 }, () => askRaw(port, search)));
    for (const { status, body } of bodies) {
      expect(status).toBe(200);
      expect(body.equals(bodies[0]?.body ?? Buffer.alloc(0))).toBe(true);
    }
    expect(server.output().match(/^serving /gm)?.length).toBe(1);
    expect(server.output()).toContain("(20261120T040000Z) with 3 workers\n");
    await expectSums(server, port);
    await expectReplacement(server, port, pids);
  });

  /** Expects the sum of all workers' metrics. */
  async function expectSums(server: ServerProcess, port: number): Promise<void> {
    for (let sent = 0; sent < 12; sent++) await askRaw(port, "/v1/status");
    const text = await readMetrics(server);
    const counts = text.matchAll(/^grants_server_requests_total\{route="\/v1\/status"[^}]*\} (\d+)$/gm);
    expect([...counts].map(([, count]) => Number(count))).toStrictEqual([12]);
    expect(text).toMatch(/^grants_server_release_info\{release="20261120T040000Z"\} 1$/m);
  }

  /** Kills a worker, and expects another one in its place. */
  async function expectReplacement(server: ServerProcess, port: number, pids: () => number[]): Promise<void> {
    const before = pids();
    kill(before[0] ?? 0);
    await until(() => (pids().length === 3 && !pids().includes(before[0] ?? 0) ? true : undefined));
    await until(() =>
      /"message":"a worker died; a new one starts"/.test(server.output()) ? true : undefined,
    );
    for (let sent = 0; sent < 12; sent++) expect((await askRaw(port, search)).status).toBe(200);
  }

  it("exit with 1 when more than five die within a minute", async () => {
    const { server, pids } = await startWorkers(3);
    const seen = new Set<number>();
    for (let killed = 0; killed < 6; killed++) {
      const [victim] = await until(() => (pids().length === 3 ? pids() : undefined));
      for (const pid of pids()) seen.add(pid);
      kill(victim ?? 0);
      await gone([victim ?? 0]);
    }
    expect(await server.ended).toBe(1);
    expect(server.output()).toContain("more than 5 workers died within a minute; the server ends");
    await gone([...seen]);
  });

  it("exit with 1 and log why when the first is killed before it listens", async () => {
    const server = start({ WORKERS: "2", DATA: "/nowhere" });
    const [victim] = await until(() =>
      childrenOf(server.child.pid).length > 0 ? childrenOf(server.child.pid) : undefined,
    );
    kill(victim ?? 0);
    expect(await server.ended).toBe(1);
    expect(server.output()).toContain('"signal":"SIGKILL","message":"a worker died while it started"');
  });

  it("finish running requests at SIGTERM, then exit with 0", async () => {
    const { server, port, pids } = await startWorkers(3);
    const workers = pids();
    const searches = Promise.all(Array.from({ length: 20 }, () => askRaw(port, search)));
    await until(async () => ((await countArrived(server)) === 20 ? true : undefined));
    server.child.kill("SIGTERM");
    for (const { status } of await searches) expect(status).toBe(200);
    expect(await server.ended).toBe(0);
    await gone(workers);
  });

  it("do not outlive the process that started them", async () => {
    const { server, pids } = await startWorkers(2);
    const workers = pids();
    expect(workers).toHaveLength(2);
    server.child.kill("SIGKILL");
    await gone(workers);
  });
});

describe("an upgrade under running WORKERS", () => {
  const folder = useFolder();

  /** A folder with the server's files. */
  async function installVersion(name: string): Promise<string> {
    const version = join(folder.home, name);
    await mkdir(version);
    for (const part of ["api-static", "package.json"])
      await cp(join(repository, part), join(version, part), { recursive: true });
    await symlink(join(repository, "node_modules"), join(version, "node_modules"));
    return version;
  }

  it("starts no worker of another version, neither behind a moved symlink nor in a changed checkout", async () => {
    const [old, link] = [await installVersion("1"), join(folder.home, "current")];
    await symlink(old, link);
    const { server, port, pids } = await startWorkers(2, link);
    const killOne = () => kill(pids()[0] ?? 0);
    const expectAnswers = async () => {
      for (let sent = 0; sent < 8; sent++)
        for (const path of [search, "/readyz"])
          expect((await askRaw(port, path)).status, server.output()).toBe(200);
    };

    const next = join(folder.home, "next");
    await symlink(join(folder.home, "nowhere"), next);
    await rename(next, link);
    killOne();
    await until(() => (server.output().match(/ is served"/g)?.length === 3 ? true : undefined));
    await expectAnswers();

    const layout = join(old, "api-static/release/layout.ts");
    const text = readFileSync(layout, "utf8");
    await writeFile(layout, text.replace(/schemaVersion = \d+/, "schemaVersion = 1"));
    killOne();
    await until(() => (/"left":1,/.test(server.output()) ? true : undefined));
    await expectAnswers();
    expect(pids()).toHaveLength(1);
    expect(server.output().match(/none replaces it: the server's files have changed/g)).toHaveLength(1);
    killOne();
    expect(await server.ended).toBe(1);
  });

  it("ends a worker whose files change while it starts, with one line", async () => {
    const server = start({ WORKERS: "2" }, await installVersion("2"));
    await until(() => childrenOf(server.child.pid)[0]);
    await writeFile(join(folder.home, "2", "package.json"), '{"version":"2.0.0","type":"module"}');
    expect(await server.ended).toBe(2);
    expect(server.output()).toBe(
      "serve: a worker does not start: the server's files have changed since it started; restart it\n",
    );
  });
});

describe("wrong WORKERS", () => {
  it.each(["0", "129"])("%j: the server exits with 2 and prints the rule", async (workers) => {
    const server = start({ WORKERS: workers });
    expect(await server.ended).toBe(2);
    expect(server.output()).toBe(`serve: WORKERS must be an integer from 1 to 128, got "${workers}"\n`);
  });

  it("on a port in use: the server exits with 2 and prints it once", async () => {
    const other: Server = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const server = start({ WORKERS: "2", PORT: String(port) });
    expect(await server.ended).toBe(2);
    expect(server.output().match(/the port is in use/g)?.length).toBe(1);
    other.close();
  });
});
