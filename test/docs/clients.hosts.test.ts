// Tests that every program in docs/clients.md works through every host.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Distribution } from "../api-static/edge/cloudfront.fixture.ts";
import { isNginxInstalled, type Nginx, startNginx } from "../api-static/edge/nginx.fixture.ts";
import { Worker } from "../api-static/edge/worker.fixture.ts";
import { useRelease } from "../api-static/server/release.fixture.ts";
import {
  askRaw,
  type RawAnswer,
  readPort,
  type ServerProcess,
  startServer,
} from "../api-static/server/socket.fixture.ts";
import { findLanguages, parseLines, recordsOf, writeProgram } from "./clients.fixture.ts";

const languages = findLanguages();
const served = useRelease({ sampleRows: 4_000 });

let server: ServerProcess;
let nginx: Nginx | undefined;
let worker: Worker;
let distribution: Distribution;
const fronts: Server[] = [];
const ports: Partial<Record<Host, number>> = {};

const hosts = ["the server", "nginx", "the Worker", "CloudFront"] as const;
type Host = (typeof hosts)[number];

beforeAll(async () => {
  const { data, folder } = served();
  server = startServer({ DATA: data, PORT: "0" });
  const port = await readPort(server);
  const publicFolder = join(folder, "public");
  nginx = isNginxInstalled ? await startNginx(data, [port]) : undefined;
  worker = await Worker.start(publicFolder, port);
  distribution = await Distribution.create(publicFolder, (path, headers) => askRaw(port, path, headers));
  ports["the server"] = port;
  if (nginx !== undefined) ports.nginx = nginx.port;
  ports["the Worker"] = await openFront((path, headers) => worker.ask(path, headers));
  ports.CloudFront = await openFront((path, headers) => distribution.ask(path, headers));
});

afterAll(async () => {
  for (const front of fronts) front.close();
  await Promise.all([nginx?.stop(), worker?.stop()]);
  server?.child.kill("SIGKILL");
  await server?.ended;
});

/** Serves what a function answers; returns the port. */
async function openFront(
  ask: (path: string, headers: Record<string, string>) => Promise<RawAnswer>,
): Promise<number> {
  const front = createServer(async ({ url = "/", headers }, response) => {
    const passed: Record<string, string> = {};
    const { "accept-encoding": encoding, "if-none-match": condition } = headers;
    if (encoding !== undefined) passed["Accept-Encoding"] = String(encoding);
    if (condition !== undefined) passed["If-None-Match"] = condition;
    const answer = await ask(url, passed);
    const { "transfer-encoding": _, ...others } = answer.headers;
    response.writeHead(answer.status, others).end(answer.body);
  });
  fronts.push(front);
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  return (front.address() as AddressInfo).port;
}

const cases = hosts.flatMap((host) => languages.map((language) => ({ host, name: language.name, language })));

describe.each(cases)("the $name program, through $host,", ({ host, language }) => {
  const isMissing = host === "nginx" && !isNginxInstalled;
  const url = () => `http://127.0.0.1:${ports[host]}`;

  it.skipIf(isMissing)("walks all pages, pinned to a release and not", async ({ onTestFinished }) => {
    const expected = recordsOf(served().lines, 2020);
    expect(expected.length).toBeGreaterThan(1_000); // more than a page
    for (const more of [{}, { PINNED: "1" }]) {
      const environment = { GRANTS_URL: url(), ...more };
      const { run } = await writeProgram("Walk all pages", language, environment, onTestFinished);
      expect(parseLines(await run())).toEqual(expected);
    }
  });

  it.skipIf(isMissing)("keeps its copy at 304", async ({ onTestFinished }) => {
    const environment = { GRANTS_URL: url() };
    const { folder, run } = await writeProgram("Conditional requests", language, environment, onTestFinished);
    expect([await run(), await run()]).toEqual(["changed\n", "unchanged\n"]);
    const kept = await readFile(join(folder, "page.json"), "utf8");
    expect(kept).toBe(await served().askText("/v1/history?transaction_year=2020"));
  });
});

describe.each(hosts)("a walk by Link through %s", (host) => {
  it.skipIf(host === "nginx" && !isNginxInstalled)("reaches every page", async () => {
    let path: string | undefined = "/v1/history?transaction_year=2020&limit=1000";
    const ids = new Set<number>();
    while (path !== undefined) {
      const response = await fetch(`http://127.0.0.1:${ports[host]}${path}`);
      for (const { id } of ((await response.json()) as { data: { id: number }[] }).data) ids.add(id);
      path = /<([^>]*)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    expect(ids.size).toBe(recordsOf(served().lines, 2020).length);
    if (host === "CloudFront") expect(distribution.fromBucket).toBeGreaterThan(0);
  });
});
