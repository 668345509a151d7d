// Starts nginx in front of two servers on one data folder with two releases, and compares nginx's responses with theirs.
import { mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect } from "vitest";
import { paths } from "../../../api-static/contract/request.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { digestBody } from "../../../api-static/release/pageFileFormat.ts";
import { copyMade } from "../../shared.fixture.ts";
import { makeRelease, writeWarehouse } from "../server/release.fixture.ts";
import {
  askRaw,
  type RawAnswer,
  readPort,
  type ServerProcess,
  startServer,
  until,
} from "../server/socket.fixture.ts";
import { readTableFacts, type TableFacts } from "../tableFacts.ts";
import { isNginxInstalled, type Nginx, startNginx } from "./nginx.fixture.ts";

export type Headers = Record<string, string>;
export const gzip: Headers = { "Accept-Encoding": "gzip" };

/** In order of creation. The later one is current at first. */
export const releaseIds = ["20261119T040000Z", "20261120T040000Z"] as const;

export class Edge {
  readonly #data: string;
  /** The facts of the release that is current at first. */
  readonly facts: TableFacts;
  readonly servers: readonly ServerProcess[];
  readonly #ports: readonly number[];
  /** Undefined if nginx is not installed. */
  readonly nginx: Nginx | undefined;

  private constructor(
    data: string,
    servers: readonly ServerProcess[],
    ports: readonly number[],
    nginx: Nginx | undefined,
  ) {
    this.#data = data;
    this.facts = readTableFacts(join(data, "releases", releaseIds[1]));
    this.servers = servers;
    this.#ports = ports;
    this.nginx = nginx;
  }

  /** @param root the folder for all files */
  static async start(root: string): Promise<Edge> {
    const home = join(root, "made");
    await copyMade("releases-edge", home, async (folder) => {
      for (const [index, rows] of [150, 200].entries()) {
        const warehouse = join(folder, `warehouse-${index}`);
        await writeWarehouse(warehouse, rows);
        await makeRelease(join(folder, "data"), warehouse, new Date(`2026-11-${19 + index}T04:00:00Z`));
      }
    });
    const data = join(home, "data");
    const settings = { DATA: data, PORT: "0", TRUSTED_PROXIES: "loopback" };
    const servers = [startServer(settings), startServer(settings)];
    const ports = await Promise.all(servers.map(readPort));
    return new Edge(data, servers, ports, isNginxInstalled ? await startNginx(data, ports) : undefined);
  }

  /** The port of a server. */
  get serverPort(): number {
    return this.#ports[0] ?? 0;
  }

  /** The public files of the current release. */
  get publicFolder(): string {
    return join(this.#data, "current", parts.public);
  }

  /** Sends a request to a server. */
  ask(path: string, headers?: Headers, method?: string): Promise<RawAnswer> {
    return askRaw(this.serverPort, path, headers, method);
  }

  /** Sends a request to nginx. */
  askEdge(path: string, headers?: Headers, method?: string): Promise<RawAnswer> {
    return askRaw(this.nginx?.port ?? 0, path, headers, method);
  }

  /** Makes a release current by one rename, as a sync does. */
  async point(release: string): Promise<void> {
    const next = join(this.#data, "current.next");
    await symlink(join("releases", release), next);
    await rename(next, join(this.#data, "current"));
  }

  /** Waits until every server answers from the release. */
  async followed(release: string): Promise<void> {
    for (const port of this.#ports)
      await until(async () =>
        (await askRaw(port, "/v1/status")).headers["x-release"] === release ? true : undefined,
      );
  }

  async stop(): Promise<void> {
    await this.nginx?.stop();
    for (const { child, ended } of this.servers) {
      child.kill("SIGKILL");
      await ended;
    }
  }
}

/** Starts the servers once per test file, and nginx if it is installed. */
export function useEdge(): () => Edge {
  let [root, edge]: [string, Edge | undefined] = ["", undefined];
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "edge-"));
    edge = await Edge.start(root);
  });
  afterAll(async () => {
    await edge?.stop();
    if (root !== "") await rm(root, { recursive: true, force: true });
  });
  return () => {
    if (edge === undefined) throw new Error("use the edge in tests only: it starts before the first one");
    return edge;
  };
}

/** The parts of a response that are equal on every host: status, decoded body, type, links and caching. */
export function essence({ status, headers, body }: RawAnswer): Record<string, unknown> {
  const sent = headers["content-encoding"] === "gzip" && body.length > 0 ? gunzipSync(body) : body;
  const plain = sent.includes("://127.0.0.1:") ? withoutPorts(sent) : sent;
  return {
    status,
    body: plain.length < 1_000 ? plain.toString("latin1") : digestBody(plain),
    type: headers["content-type"],
    location: headers.location,
    link: headers.link,
    allow: headers.allow,
    cache: headers["cache-control"]?.replace(/s-maxage=\d+/, "s-maxage=…"),
    origin: headers["access-control-allow-origin"],
    sniffing: headers["x-content-type-options"],
    policy: headers["content-security-policy"],
    referrer: headers["referrer-policy"],
  };
}

/** Some answers to reconcile names lead to the host that was asked; hosts in tests differ by their ports. */
function withoutPorts(body: Buffer): Buffer {
  return Buffer.from(body.toString().replaceAll(/127\.0\.0\.1:\d+/g, "host"));
}

/** The headers that a proxy passes on unchanged; "retry-after" and "server-timing" differ from one response to the next. */
const passedHeaders = [
  ...["etag", "content-encoding", "content-length", "vary", "x-release", "accept-ranges"],
  ...["last-modified", "access-control-expose-headers", "content-disposition"],
];

/** True for the release of a malformed path, which nginx does not know, and for the length of a body with the host's port. */
function isHostsOwn(name: string, path: string): boolean {
  if (name === "x-release") return /^\/(?:\.\.|%(?:00)?$)/.test(path);
  return (
    name === "content-length" && (path === paths.reconcile || path.startsWith(paths.previewOrganization))
  );
}

/** Expects nginx's response to be the server's in every header. */
export function expectSame(path: string, ours: RawAnswer, theirs: RawAnswer): void {
  expect(essence(theirs), path).toStrictEqual(essence(ours));
  for (const name of passedHeaders)
    if (!isHostsOwn(name, path))
      expect(theirs.headers[name], `${path} ${name}`).toStrictEqual(ours.headers[name]);
}
