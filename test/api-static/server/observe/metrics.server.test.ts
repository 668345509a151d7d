// Tests that metrics are served on a port of their own, and that the server serves requests without them.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { useRelease } from "../release.fixture.ts";
import { askRaw, readMetrics, readMetricsPort, readPort, until, useServers } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const startServer = useServers();

const start = (settings: Record<string, string> = {}) =>
  startServer({ DATA: served().data, PORT: "0", ...settings });

describe("the metrics", () => {
  it("are served on their own port alone, with Prometheus' media type", async () => {
    const server = start();
    const port = await readPort(server);
    for (const path of ["/metrics", "/%6detrics"]) {
      const { status, body } = await askRaw(port, path);
      expect(status, path).toBe(404);
      expect(body.toString(), path).not.toContain("grants_server");
    }
    expect(await readMetrics(server)).toContain('grants_server_release_info{release="20261120T040000Z"} 1\n');
    const metricsPort = await readMetricsPort(server);
    const { headers } = await askRaw(metricsPort, "/metrics");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect((await askRaw(metricsPort, "/v1/status")).status).toBe(404);
  });

  it("are not served if their port is taken, which the log reports, while requests are answered", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port: taken } = other.address() as AddressInfo;
    const server = start({ METRICS_PORT: String(taken) });
    const port = await readPort(server);
    await until(() => (server.output().includes('"message":"metrics are not served"') ? true : undefined));
    expect(server.output()).toContain(`METRICS_PORT \\"${taken}\\": the port is in use`);
    expect((await askRaw(port, "/healthz")).status).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    other.close();
  });
});
