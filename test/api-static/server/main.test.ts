// Tests that the server process obeys the settings that no other test of the process uses.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { searchLogFolder } from "../../../api-static/search/searchLogFiles.ts";
import { useRelease } from "./release.fixture.ts";
import { askRaw, readPort, sendBytes, until, useServers } from "./socket.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const startServer = useServers();

beforeEach(() => rm(searchLogFolder(served().data), { recursive: true, force: true }));

async function start(environment: Record<string, string>) {
  const server = startServer({ DATA: served().data, PORT: "0", ...environment });
  const port = await readPort(server);
  const search = async (client: string) =>
    (await askRaw(port, "/v1/history?limit=3", { "X-Forwarded-For": client })).status;
  return { server, port, search };
}

describe("the server process", () => {
  it("obeys SEARCH_RATE, TRUSTED_PROXIES and SEARCH_LOG=0", async () => {
    const { server, search } = await start({
      SEARCH_RATE: "2",
      TRUSTED_PROXIES: "loopback",
      SEARCH_LOG: "0",
    });
    const statuses = [];
    for (const client of ["1.1.1.1", "1.1.1.1", "1.1.1.1", "2.2.2.2"]) statuses.push(await search(client));
    expect(statuses).toStrictEqual([200, 200, 429, 200]);
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    expect(existsSync(searchLogFolder(served().data))).toBe(false);
  });

  it("logs searches by default", async () => {
    const { server, search } = await start({});
    expect(await search("1.1.1.1")).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    expect(existsSync(searchLogFolder(served().data))).toBe(true);
  });

  it("sets a flag that this V8 has", () => {
    const flags = execFileSync(process.execPath, ["--v8-options"]).toString();
    expect(flags).toContain("--incremental-marking-soft-trigger ");
  });

  it("obeys CONNECTIONS", async () => {
    const { port } = await start({ CONNECTIONS: "2" });
    const request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
    const idle = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    await until(async () => ((await sendBytes(port, request)) === "" ? true : undefined));
    for (const socket of idle) socket.destroy();
    const answer = await until(async () => (await sendBytes(port, request)) || undefined);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
  });
});
