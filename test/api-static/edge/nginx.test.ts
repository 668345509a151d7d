// Proves that nginx in front answers as the server does: the whole request table, odd queries, new releases, lost servers.
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestBody } from "../../../api-static/storedPage.ts";
import { readTableFacts, requestTable, type TableFacts } from "../requestTable.ts";
import { makeRelease, writeWarehouse } from "../server/release.fixture.ts";
import {
  askRaw,
  type RawAnswer,
  readPort,
  type ServerProcess,
  startServer,
  until,
} from "../server/socket.fixture.ts";
import { isNginxInstalled, type Nginx, nginxConfiguration, startNginx } from "./nginx.fixture.ts";

if (!isNginxInstalled) console.log("skipped: tests of nginx in front; nginx is not installed here");

let root = "";
let data = "";
let releases: string[] = [];
let facts: TableFacts;
let servers: ServerProcess[] = [];
let ports: number[] = [];
let nginx: Nginx;

beforeAll(async () => {
  if (!isNginxInstalled) return;
  root = await mkdtemp(join(tmpdir(), "edge-"));
  data = join(root, "data");
  const [first, second] = [join(root, "first"), join(root, "second")];
  await writeWarehouse(second, 1_950);
  releases = [await makeRelease(data, second, new Date("2026-11-19T04:00:00Z"))];
  await writeWarehouse(first, 2_000);
  releases.push(await makeRelease(data, first, new Date("2026-11-20T04:00:00Z")));
  facts = readTableFacts(releases[1] ?? "");
  servers = [startServer({ DATA: data, PORT: "0" }), startServer({ DATA: data, PORT: "0" })];
  ports = await Promise.all(servers.map(readPort));
  nginx = await startNginx(data, ports);
});
afterAll(async () => {
  await nginx?.stop();
  for (const { child, ended } of servers) {
    child.kill("SIGKILL");
    await ended;
  }
  if (root !== "") await rm(root, { recursive: true, force: true });
});

type Headers = Record<string, string>;
const gzip: Headers = { "Accept-Encoding": "gzip" };
const server = (path: string, headers?: Headers, method?: string) =>
  askRaw(ports[0] ?? 0, path, headers, method);
const edge = (path: string, headers?: Headers, method?: string) => askRaw(nginx.port, path, headers, method);

/** Only a server says how long it took. */
const isFromFile = ({ status, headers }: RawAnswer) =>
  status === 200 && headers["server-timing"] === undefined;

/** Status, body and all headers that nginx gives as the server does, whatever answered. */
function essence({ status, headers, body }: RawAnswer): Record<string, unknown> {
  const link = headers.link;
  return {
    status,
    body: body.length < 1_000 ? body.toString("latin1") : digestBody(body),
    type: headers["content-type"],
    encoding: headers["content-encoding"],
    vary: headers.vary,
    release: headers["x-release"],
    location: headers.location,
    allow: headers.allow,
    origin: headers["access-control-allow-origin"],
    exposed: headers["access-control-expose-headers"],
    sniffing: headers["x-content-type-options"],
    cache: headers["cache-control"]?.replace(/s-maxage=\d+/, "s-maxage=…"),
    ranges: headers["accept-ranges"],
    modified: headers["last-modified"],
    link: typeof link === "string" ? link.replace(/, <[^>]*>; rel="last"$/, "") : undefined,
  };
}

const sharedSeconds = ({ headers }: RawAnswer) =>
  Number(/s-maxage=(\d+)/.exec(headers["cache-control"] ?? "")?.[1]);

/** Expects both answers to agree; nginx knows no release of a path above the root. */
function expectSame(path: string, ours: RawAnswer, theirs: RawAnswer): void {
  const [expected, got] = [essence(ours), essence(theirs)];
  if (path.startsWith("/..")) delete expected.release;
  expect(got, path).toMatchObject(
    Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
  );
  for (const [name, value] of Object.entries(got))
    if (expected[name] === undefined) expect(value, `${path} ${name}`).toBeUndefined();
}

describe.skipIf(!isNginxInstalled)("the request table through nginx", () => {
  it.each([
    ["gzip", gzip],
    ["no", {}],
  ] as const)(
    "has the server's status, body and headers, with %s encoding",
    async (_, headers) => {
      const table = [...new Map(requestTable(facts).map((row) => [row.path, row])).values()];
      let files = 0;
      for (let from = 0; from < table.length; from += 16) {
        await Promise.all(
          table.slice(from, from + 16).map(async ({ path, status }) => {
            const [ours, theirs] = await Promise.all([server(path, headers), edge(path, headers)]);
            expect(theirs.status, path).toBe(status);
            expectSame(path, ours, theirs);
            if (!isFromFile(theirs)) {
              expect(theirs.headers.etag, path).toBe(ours.headers.etag);
              expect(theirs.headers["content-length"], path).toBe(ours.headers["content-length"]);
              return;
            }
            files += 1;
            expect(theirs.headers.etag, path).toMatch(/^(W\/)?"[^"]+"$/);
            const seconds = sharedSeconds(theirs);
            expect(seconds, path).toBeGreaterThan(Math.max(59, sharedSeconds(ours) - 3_660));
            expect(seconds, path).toBeLessThanOrEqual(Math.max(60, sharedSeconds(ours) + 5));
          }),
        );
      }
      expect(files).toBeGreaterThan(50);
    },
    60_000,
  );

  it("is answered without a server wherever a page file has the answer", async () => {
    const { ein, records } = facts.big;
    expect(records).toBeGreaterThan(1_000);
    for (const query of [
      "",
      "?",
      "?limit=100",
      "?limit=1000",
      "?offset=0",
      "?offset=1000",
      "?limit=1000&offset=1000",
      "?offset=1000&limit=1000",
      "?offset=200&limit=100",
    ]) {
      expect(isFromFile(await edge(`/v1/funders/${ein}/history${query}`)), query).toBe(true);
      const search = `/v1/history?funder_ein=${ein}${query.length > 1 ? `&${query.slice(1)}` : ""}`;
      expect(isFromFile(await edge(search)), search).toBe(true);
    }
    expect(isFromFile(await edge(`/v1/history?offset=100&funder_ein=${ein}&limit=100`))).toBe(true);
    expect(isFromFile(await edge(`/v1/funders/${ein}/history/100-100.json`))).toBe(true);
    expect(isFromFile(await edge(`/v1/funders/${ein}/history?limit=0100`))).toBe(false);
  });

  it("is walked to the end by the Link headers, page file after page file", async () => {
    const { ein, records } = facts.big;
    for (const limit of [100, 1000]) {
      let [path, walked]: [string | undefined, number] = [`/v1/funders/${ein}/history?limit=${limit}`, 0];
      while (path !== undefined) {
        const { body, headers } = await edge(path);
        walked += (JSON.parse(body.toString()) as { data: unknown[] }).data.length;
        path = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1];
      }
      expect(walked).toBe(records);
    }
  });
});

describe.skipIf(!isNginxInstalled)("any query through nginx", () => {
  it("has the server's answer, whatever its parameters, values and their spelling", async () => {
    const { big, small, unknownEin } = facts;
    const value = fc.constantFrom(
      "100",
      "1000",
      "0",
      "200",
      "0100",
      "00",
      "1e3",
      "",
      "%3100",
      "100 ",
      "+100",
      "99999999999",
    );
    const pair = fc.oneof(
      fc.tuple(fc.constantFrom("limit", "offset", "limit", "offset", "Limit", "off%73et", "x"), value),
      fc.tuple(fc.constant("funder_ein"), fc.constantFrom(big.ein, small.ein, unknownEin, "12-3456789")),
    );
    const separator = fc.constantFrom("&", "&", "&", "&&", ";");
    const query = fc
      .array(fc.tuple(pair, separator), { maxLength: 4 })
      .map((pairs) => pairs.map(([[name, value], between]) => `${name}=${value}${between}`).join(""))
      .chain((text) => fc.constantFrom(text, text.replace(/[&;]+$/, "")));
    const path = fc.constantFrom(
      "/v1/history",
      `/v1/funders/${big.ein}/history`,
      `/v1/funders/${big.ein.replace(/^./, (digit) => `%3${digit}`)}/history`,
      `/v1/funders/${big.ein}/history%0A`,
      `/v1/funders/${big.ein}/history%3Flimit=100`,
      `/v1/funders/${big.ein}/history/100-0.json`,
      `//v1/funders/${big.ein}/history`,
      `/v1/x/../funders/${big.ein}/history`,
    );
    await fc.assert(
      fc.asyncProperty(path, query, fc.boolean(), async (path, query, isPacked) => {
        const url = encodeURI(`${path}${query === "" ? "" : `?${query}`}`).replaceAll("%25", "%");
        const headers = isPacked ? gzip : {};
        expectSame(url, await server(url, headers), await edge(url, headers));
      }),
      { numRuns: 400, seed: 20261120 },
    );
  }, 60_000);

  it("has the server's answer where a query is nearly one that a file answers", async () => {
    const { ein } = facts.big;
    const path = `/v1/funders/${ein}/history`;
    for (const query of [
      "limit=100&limit=100",
      "limit=100&offset=0&limit=1000",
      "offset=0&offset=100",
      "offset=100&limit=100&offset=100",
      "limit=100&",
      "&limit=100",
      "limit=100&&offset=0",
      "LIMIT=1000",
      "limit=100&x=1",
      "x=1&limit=100",
      "limit=100%26offset=100",
      "limit=10",
      "limit=10000",
      "offset=0100",
      "offset=00",
      `funder_ein=${ein}`,
    ])
      for (const target of [`${path}?${query}`, `/v1/history?funder_ein=${ein}&${query}`])
        expectSame(target, await server(target, gzip), await edge(target, gzip));
  });

  it("has the server's answer to other methods, bodies, ranges and conditions", async () => {
    const path = `/v1/funders/${facts.big.ein}/history`;
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
      for (const target of [path, `${path}/100-0.json`, "/v1/history?purpose=a"])
        expectSame(target, await server(target, {}, method), await edge(target, {}, method));
    for (const headers of [
      { Range: "bytes=0-9" },
      { "If-Match": '"other"' },
      { "If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT" },
      { "If-Modified-Since": "Thu, 01 Jan 2099 00:00:00 GMT" },
    ] as Headers[])
      for (const target of [path, "/v1/history?limit=9", "/v1/history?limit=9"])
        expectSame(
          `${target} ${JSON.stringify(headers)}`,
          await server(target, headers),
          await edge(target, headers),
        );
    const { status, body } = await askWithBody(path, 100_000);
    expect([status, JSON.parse(body).code]).toStrictEqual([405, "method_not_allowed"]);
  });

  it("is an export or a pinned release where a server has one, byte by byte", async () => {
    const { ein } = facts.big;
    for (const path of [
      `/v1/funders/${ein}/history.csv`,
      "/v1/history.csv?transaction_year=2021",
      `/r/20261120T040000Z/v1/funders/${ein}/history?limit=100`,
      "/r/20261119T040000Z/v1/history?limit=50",
      "/r/20261119T040000Z/v1/history.csv?transaction_year=2021",
      "/r/20200101T040000Z/v1/history",
    ])
      for (const _ of ["asked", "kept"]) expectSame(path, await server(path), await edge(path));
  });

  it("is answered 304 for the ETag it was given, by a file and from what nginx keeps", async () => {
    for (const path of [`/v1/funders/${facts.big.ein}/history`, "/v1/history?limit=20"]) {
      for (const headers of [gzip, {}] as Headers[]) {
        const { headers: given } = await edge(path, headers);
        const again = await edge(path, { ...headers, "If-None-Match": String(given.etag) });
        expect([again.status, again.body.length], path).toStrictEqual([304, 0]);
        expect(again.headers["cache-control"], path).toBe(given["cache-control"]);
      }
    }
  });

  it("unpacks to the plain body where the client takes gzip, through other proxies and by HEAD too", async () => {
    const path = `/v1/funders/${facts.big.ein}/history`;
    const plain = await edge(path);
    for (const via of [{}, { Via: "1.1 cache.example" }]) {
      const packed = await edge(path, { ...gzip, ...via });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    }
    const head = await edge(path, gzip, "HEAD");
    expect([head.status, head.body.length]).toStrictEqual([200, 0]);
    expect(head.headers["content-length"]).toBe((await edge(path, gzip)).headers["content-length"]);
    expect((await edge(path, { "Accept-Encoding": "gzip;q=0" })).body.equals(plain.body)).toBe(true);
  });
});

describe.skipIf(!isNginxInstalled)("what nginx keeps", () => {
  it("is the server's answer until another release is current, and then that release's, at once", async () => {
    const search = "/v1/history?limit=17";
    const before = await edge(search);
    expect((await edge(search)).headers["server-timing"]).toBe(before.headers["server-timing"]); // kept
    await point(releases[0]);
    const history = "/v1/funders/131635294/history";
    expect((await edge(history)).headers["x-release"]).toBe("20261119T040000Z");
    await until(async () =>
      (await edge(search)).headers["x-release"] === "20261119T040000Z" ? true : undefined,
    );
    await followed("20261119T040000Z");
    for (let asked = 0; asked < 20; asked++) {
      expectSame(search, await server(search), await edge(search));
      expectSame(history, await server(history), await edge(history));
    }
    await point(releases[1]);
    await until(async () =>
      (await edge(search)).headers["x-release"] === "20261120T040000Z" ? true : undefined,
    );
    expect((await edge(search)).body.equals(before.body)).toBe(true);
    await followed("20261120T040000Z");
  });
});

describe.skipIf(!isNginxInstalled)("servers behind nginx", () => {
  it("may be lost one by one: the other answers, then pages go on and the rest is told to come again", async () => {
    const [first, second] = servers;
    first?.child.kill("SIGKILL");
    await first?.ended;
    for (let offset = 0; offset < 40; offset++)
      expect((await edge(`/v1/history?limit=3&offset=${offset}`)).status).toBe(200);
    second?.child.kill("SIGKILL");
    await second?.ended;
    expect((await edge(`/v1/funders/${facts.big.ein}/history?limit=100`)).status).toBe(200);
    expect((await edge("/v1/history?limit=3&offset=3")).status).toBe(200); // kept
    const { status, headers, body } = await edge("/v1/history?limit=3&offset=333");
    expect([status, headers["cache-control"], headers["retry-after"]]).toStrictEqual([503, "no-store", "5"]);
    expect(JSON.parse(body.toString())).toMatchObject({ success: false, code: "not_ready" });
  });
});

describe("the configuration", () => {
  it("is told of, place by place, in its documentation", () => {
    const text = readFileSync(nginxConfiguration, "utf8");
    const told = readFileSync(
      nginxConfiguration.replace("api-static/edge/nginx.conf", "docs/nginx.md"),
      "utf8",
    );
    const places = text.split("\n").filter((line) => /# set\b/.test(line));
    expect(places.length).toBe(4);
    for (const place of ["127.0.0.1:8080", "/var/cache/nginx/grants", "listen 80", "/srv/grants/data"]) {
      expect(places.filter((line) => line.includes(place)).length, place).toBe(1);
      expect(told, place).toContain(place);
    }
  });
});

/** Makes a release current by one rename, as a sync does. */
async function point(folder: string | undefined): Promise<void> {
  const next = join(data, "current.next");
  rmSync(next, { force: true });
  await symlink(join("releases", folder?.split("/").at(-1) ?? ""), next);
  await rename(next, join(data, "current"));
}

/** Waits until every server answers from the release. */
async function followed(release: string): Promise<void> {
  for (const port of ports)
    await until(async () =>
      (await askRaw(port, "/v1/status")).headers["x-release"] === release ? true : undefined,
    );
}

async function askWithBody(path: string, bytes: number): Promise<{ status: number; body: string }> {
  const answer = await fetch(`http://127.0.0.1:${nginx.port}${path}`, {
    method: "POST",
    body: "x".repeat(bytes),
  });
  return { status: answer.status, body: await answer.text() };
}
