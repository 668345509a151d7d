// Tests the server process: without a release, with a new or a broken one, on signals, and with wrong settings.
import { cp, rename, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { spreadOf } from "../../proofs.ts";
import { itWhole } from "../../whole.ts";
import { linkTo, typesOf, useMovingReleases } from "./moving.fixture.ts";
import { askRaw, countOpenFiles, readPort, until, useServers } from "./socket.fixture.ts";

const { made, newData } = useMovingReleases();
const history = "/v1/funders/131635294/history";
const startServer = useServers();

const start = (environment: Record<string, string>) => startServer({ PORT: "0", ...environment });

async function startOn(folder: string | undefined) {
  const { data, point } = await newData();
  await point(linkTo(folder));
  const server = start({ DATA: data });
  return { server, data, point, port: await readPort(server) };
}

describe("a server without a release", () => {
  it("answers an uncached 503 and serves a release as soon as there is one", async () => {
    const { data, point } = await newData();
    const server = start({ DATA: data });
    const port = await readPort(server);
    for (const path of [history, "/v1/history", "/v1/status", "/"]) {
      const { status, headers, body } = await askRaw(port, path);
      expect(status, path).toBe(503);
      expect(headers["cache-control"]).toBe("no-store");
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      if (path === "/") expect(body.toString()).toContain('<header class="masthead">');
      else expect(JSON.parse(body.toString())).toMatchObject({ success: false, code: "not_ready" });
    }
    expect((await askRaw(port, "/v1/history?limit=0")).status).toBe(400);
    expect((await askRaw(port, "/healthz")).status).toBe(200);
    await point(linkTo(made[0]));
    const found = await until(async () => {
      const answer = await askRaw(port, history);
      return answer.status === 200 ? answer : undefined;
    });
    expect(JSON.parse(found.body.toString())).toMatchObject({ success: true, total: 1500 });
  });
});

describe("a server that may not lower the priority of its threads", () => {
  it("answers searches", async () => {
    const deny = `import os from "node:os"; import { syncBuiltinESMExports } from "node:module";
      os.setPriority = () => { throw new Error("denied"); }; syncBuiltinESMExports();`;
    const { data, point } = await newData();
    await point(linkTo(made[0]));
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(deny)}`;
    const port = await readPort(start({ DATA: data, NODE_OPTIONS }));
    expect((await askRaw(port, "/v1/history?min_amount=17")).status).toBe(200);
  });
});

describe("a server whose current release moves", () => {
  it("fails no request, never mixes two releases in a body, and switches to the new one", async () => {
    const { port, point } = await startOn(made[0]);
    const urls = [
      history,
      `${history}?limit=999`,
      "/v1/history?limit=500",
      "/v1/history?min_amount=1&limit=50",
    ];
    const seen = new Set<unknown>();
    let isMoved = false;
    const walkers = urls.map(async (url) => {
      for (let after = 0; after < 5; ) {
        const { status, headers, body } = await askRaw(port, url);
        const type = headers["x-release"] === "20261120T040000Z" ? "old" : "new";
        expect(status).toBe(200);
        expect(typesOf(body)).toStrictEqual(new Set([type]));
        expect(JSON.parse(body.toString()).total).toBeLessThanOrEqual(type === "old" ? 1500 : 1499);
        seen.add(headers["x-release"]);
        if (isMoved && type === "new") after += 1;
      }
    });
    await until(() => (seen.size > 0 ? true : undefined));
    await point(linkTo(made[1]));
    isMoved = true;
    await Promise.all(walkers);
    expect(seen).toStrictEqual(new Set(["20261120T040000Z", "20261121T040000Z"]));
    await point(linkTo(made[0])); // a rollback
    await until(async () =>
      (await askRaw(port, "/v1/status")).headers["x-release"] === "20261120T040000Z" ? true : undefined,
    );
  });
});

describe("a server whose current release is broken", () => {
  itWhole("does not switch to one of which a part is incomplete", async () => {
    const { server, port, point, data } = await startOn(made[0]);
    for (const part of [parts.records, parts.offsets, parts.funders, parts.manifest]) {
      await cp(made[1] ?? "", join(data, "cut", part), { recursive: true, verbatimSymlinks: true });
      await writeFile(join(data, "cut", part, part), "{}");
      const refusals = server.output().split("cannot be served").length;
      await point(join("cut", part));
      await until(() => (server.output().split("cannot be served").length > refusals ? true : undefined));
      expect((await askRaw(port, history)).headers["x-release"], part).toBe("20261120T040000Z");
    }
  });

  itWhole("keeps the old one, logs it once, and leaks no files", async () => {
    const { server, port, point } = await startOn(made[0]);
    const broken = [join("..", "data", "releases", "20991231T000000Z"), linkTo(made[1])];
    const missing = join(made[1] ?? "", parts.offsets);
    await rename(missing, `${missing}.away`);
    try {
      for (const [index, target] of broken.entries()) {
        await point(target);
        await until(() =>
          server.output().split("cannot be served").length === index + 2 ? true : undefined,
        );
        const open = countOpenFiles(server);
        await sleep(1_600); // three more checks of it
        await until(() => (countOpenFiles(server) <= open ? true : undefined)); // a check holds one open while it runs
        expect(server.output().split("cannot be served").length).toBe(index + 2);
        const { status, headers } = await askRaw(port, `${history}?limit=9`);
        expect([status, headers["x-release"]]).toStrictEqual([200, "20261120T040000Z"]);
      }
    } finally {
      await rename(`${missing}.away`, missing);
    }
    await until(async () =>
      (await askRaw(port, "/v1/status")).headers["x-release"] === "20261121T040000Z" ? true : undefined,
    );
  });
});

describe("a signal", () => {
  it.each(spreadOf("signals", ["SIGTERM", "SIGINT"] as const, 2))(
    "%s: the server exits with 0",
    async (signal) => {
      const { server } = await startOn(made[0]);
      server.child.kill(signal);
      expect(await server.ended).toBe(0);
    },
  );

  itWhole("lets running requests finish, and does not wait for idle clients", async () => {
    const { server, port } = await startOn(made[0]);
    const silent = ["", "GET /v1/history HTTP/1.1\r\nHo"].map((start) => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      if (start !== "") socket.write(start);
      return socket;
    });
    const searches = Promise.all(
      Array.from({ length: 20 }, () => askRaw(port, "/v1/history?purpose=a&limit=1000")),
    );
    await askRaw(port, "/healthz"); // the searches are running by now
    server.child.kill("SIGTERM");
    for (const { status } of await searches) expect(status).toBe(200);
    expect(await server.ended).toBe(0);
    for (const socket of silent) socket.destroy();
  });
});

describe("wrong settings", () => {
  it.each(spreadOf("wrong ports", ["65536", ""], 2))(
    "PORT=%j: the server exits with 2 and prints the rule",
    async (port) => {
      const server = start({ PORT: port });
      expect(await server.ended).toBe(2);
      expect(server.output()).toBe(`serve: PORT must be an integer from 0 to 65535, got "${port}"\n`);
    },
  );

  it("a port in use: the server exits with 2 and names it", async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const { data } = await newData();
    const server = start({ PORT: String(port), DATA: data });
    expect(await server.ended).toBe(2);
    expect(server.output()).toContain(`PORT "${port}": the port is in use`);
    expect(server.output()).not.toMatch(/^\s+at /m);
    other.close();
  });

  itWhole("an invalid host: the server exits with 2", async () => {
    const { data } = await newData();
    const server = start({ HOST: "256.1.1.1", DATA: data });
    expect(await server.ended).toBe(2);
    expect(server.output()).toContain('HOST "256.1.1.1"');
    expect(server.output()).not.toMatch(/^\s+at /m);
  });
});
