// Tests that many hostile requests do not harm the server: no failure, no internal detail, no leak.
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parameterNames } from "../../../../api-static/contract/parameters.ts";
import { noise } from "../../contract/arbitraries.ts";
import { inspectable, measureLiveMemory } from "../heap.fixture.ts";
import { readMemory } from "../load.fixture.ts";
import { repository, useRelease } from "../release.fixture.ts";
import {
  askRaw,
  countOpenFiles,
  readPort,
  type ServerProcess,
  startServer,
  until,
} from "../socket.fixture.ts";

const requests = 40_000;
const served = useRelease({ sampleRows: 1_000 });
let server: ServerProcess;
let port = 0;

beforeAll(async () => {
  const settings = {
    DATA: served().data,
    PORT: "0",
    LOG_LEVEL: "error",
    SEARCH_SECONDS: "2",
    PAGE_MEMORY_MB: "1",
  }; // full from the start
  server = startServer({ ...settings, ...inspectable });
  port = await readPort(server);
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.ended;
});

// ---- Requests ----------------------------------------------------------------------------------------------------------

/** Random text as bytes of a request's target, without any that would end it. */
const part = noise.map((text) => encodeURI(text.toWellFormed()).slice(0, 300));

const nasty = fc.constantFrom(
  "%00",
  "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "..%5c..%5cwindows",
  "%c0%ae%c0%ae/",
  "%ed%a0%80",
  "%",
  "%zz",
  "%f0%9f%92%a9",
  "' or 1=1 --",
  "');drop table by_x;--",
  "$limit",
  "$%7Bjndi:ldap://x%7D",
  "<script>",
  "\\",
  "__proto__",
  "constructor",
  "9".repeat(400),
  "-9223372036854775809",
  "1e309",
  "0x10",
  "NaN",
  "%F0%28%8C%28",
  "a".repeat(300),
  "%25".repeat(60),
);
const value = fc.oneof(part, nasty, fc.constantFrom("5", "100", "131635294", "2021", "a", "support", "-0"));
const names = [...parameterNames, "name", "state", "role", "queries", "prefix", "cursor", "id"];
const name = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, part, nasty);
const query = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`.replaceAll(" ", "+")).join("&"));
const base = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("/v1/history", "/v1/funders/131635294/history") },
  fc.constantFrom(
    "/",
    "/v1/status",
    "/healthz",
    "/readyz",
    "/v1/history/",
    "//v1/history",
    "/v1/history.csv",
    "/v1/downloads/SHA256SUMS",
    ...["/v1/organizations", "/v1/reconcile", "/v1/reconcile/suggest/entity", "/v1/reconcile/preview"],
  ),
  fc.constantFrom(
    "/../../../etc/passwd",
    "/r/20261120T040000Z/v1/history",
    "/r/../v1/history",
    "/r//v1/history",
  ),
  value.map((text) => `/v1/funders/${text}/history`),
  value.map((text) => `/v1/funders/131635294/history-${text}.json`),
  value.map((text) => `/r/${text}/v1/history`),
  value.map((text) => `/${text}`),
);
const target = fc
  .tuple(base, query)
  .map(([path, query]) => (query === "" ? path : `${path}?${query}`).replaceAll(" ", "%20"));
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "OPTIONS", "POST", "DELETE", "TRACE", "QUERY", "PATCH"),
);
const headerLine = fc.constantFrom(
  "Range: bytes=50-10",
  "Range: bytes=0-,1-,2-",
  `Range: bytes=${"9".repeat(200)}-`,
  "Range: bytes=-262144",
  "Range: bytes=-0",
  'If-Range: "z"',
  "If-None-Match: *",
  'If-None-Match: W/"x", "y',
  'If-Match: "z"',
  "If-Modified-Since: never",
  "Accept-Encoding: gzip",
  "Accept-Encoding: gzip;q=nan, *;q=2",
  `Accept-Encoding: ${"gzip,".repeat(500)}`,
  "Accept-Encoding: gzip\r\nAccept-Encoding: br",
  "X-Forwarded-For: 1.2.3.4, ' or 1=1",
  "X-Request-Id: a\tb",
  `X-Request-Id: ${"i".repeat(500)}`,
  "Cookie: a=b; a=b",
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Length: 0",
  "Expect: 100-continue",
  "Upgrade: h2c",
  `X-Long: ${"y".repeat(3_000)}`,
);
/** Lines after which the server reads no more from a connection. */
const lastLine = fc.constantFrom(
  "Upgrade: h2c\r\nConnection: upgrade",
  "Host: other",
  "Transfer-Encoding: chunked",
  "Content-Length: 99999999999999",
  "Content-Length: 1\r\nContent-Length: 2",
  "Bad Header: x",
  ": no name",
  `X-Long: ${"y".repeat(17_000)}`,
);

function formatRequest(method: string, target: string, lines: readonly string[]): string {
  return `${method} ${target} HTTP/1.1\r\n${["Host: 127.0.0.1", ...lines].join("\r\n")}\r\n\r\n`;
}
const request = fc
  .tuple(method, target, fc.array(headerLine, { maxLength: 2 }))
  .map((parts) => formatRequest(...parts));
const broken = fc.oneof(
  noise,
  fc
    .tuple(method, target, fc.array(lastLine, { minLength: 1, maxLength: 2 }))
    .map((parts) => formatRequest(...parts)),
  request.map((text) => text.replace("HTTP/1.1", "HTTP/9.9")),
  request.map((text) => text.replace("Host: 127.0.0.1\r\n", "")),
  request.map((text) => text.replace("Host: 127.0.0.1", "Host: 999.1.1.1")),
  request.map((text) => text.replaceAll("\r\n", "\n")),
  request.map((text) => text.replace(" /", " http://[::1")),
  fc
    .constantFrom(9_000, 20_000)
    .map((length) => formatRequest("GET", `/v1/history?purpose=${"a".repeat(length)}`, [])),
);

/** How a client leaves: after the last answer, with a word, or without one. */
type Leaving = "last answer" | "half close" | "reset";

/** What one connection sends: requests one after another, without waiting for responses. */
type Conversation = { readonly text: string; readonly count: number; readonly leaving: Leaving };

const requestList = fc.array(request, { minLength: 1, maxLength: 12 });
const closing = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

const conversation: fc.Arbitrary<Conversation> = fc.oneof(
  {
    weight: 6,
    arbitrary: requestList.map(
      (list): Conversation => ({
        text: list.join("") + closing,
        count: list.length + 1,
        leaving: "last answer",
      }),
    ),
  },
  fc.tuple(requestList, broken).map(
    ([list, last]): Conversation => ({
      text: list.join("") + last,
      count: list.length + 1,
      leaving: "half close",
    }),
  ),
  fc
    .tuple(
      requestList,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom<Leaving[]>("half close", "reset"),
    )
    .map(([list, share, leaving]) => {
      const text = list.join("");
      return { text: text.slice(0, Math.floor(text.length * share)), count: list.length, leaving };
    }),
);

// ---- Responses ---------------------------------------------------------------------------------------------------------

/** Internal details: stacks, file paths, SQL and names of the engine. No request contains any of them. */
const inside = new RegExp(
  `\\bat \\S+ \\(|\\.ts:\\d|node_modules|node:internal|ENOENT|SELECT|by_rank|by_funder|by_recipient|duckdb|${repository}|/served-`,
  "i",
);

/** Sends everything at once and returns all bytes received until the connection ends. */
function converse({ text, leaving }: Conversation): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(20_000, () =>
      reject(new Error(`the connection did not end after ${JSON.stringify(text.slice(0, 2_000))}`)),
    );
    socket.on("connect", () => {
      socket.write(Buffer.from(text, "latin1"), () => {
        if (leaving === "half close") socket.end();
        if (leaving === "reset") socket.resetAndDestroy();
      });
    });
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => undefined); // a reset counts as a response
    socket.on("close", () => resolve(received));
  });
}

/** Counts the statuses; expects no internal detail and no 5xx except 503. */
function examine(sent: string, received: string, statuses: Map<string, number>): void {
  for (const [, status = ""] of received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const failure = /HTTP\/1\.1 5\d\d [\s\S]*?\r\n\r\n.{0,300}/.exec(received)?.[0];
  if (failure !== undefined && !/^HTTP\/1\.1 503 [\s\S]*"code":"(overloaded|timeout)"/.test(failure))
    throw new Error(`${JSON.stringify(sent.slice(0, 2_000))} was answered ${failure}`);
  const leaked = inside.exec(received.replaceAll(/^server-timing: .*$/gim, "")); // this header names a plan, as documented
  if (leaked !== null) throw new Error(`${JSON.stringify(sent.slice(0, 2_000))} leaked ${leaked[0]}`);
}

const clients = 16;

/** Megabytes by which the second half of the requests may grow the heap: at 1,000 requests, 2 KB each. */
const maxHeapGrowth = 2;

/** Sends about `count` requests; returns the exact number. */
async function bombard(count: number, seed: number, statuses: Map<string, number>): Promise<number> {
  let sent = 0;
  for (let round = 0; sent < count; round++) {
    const conversations = fc.sample(conversation, { numRuns: 40 * clients, seed: seed + round });
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let index = client; index < conversations.length && sent < count; index += clients) {
          const next = conversations[index];
          if (next === undefined) return;
          sent += next.count;
          examine(next.text, await converse(next), statuses);
        }
      }),
    );
  }
  return sent;
}

describe("hostile requests", () => {
  it(`cause no failure, internal detail, crash or leak: ${requests} of them`, async () => {
    const statuses = new Map<string, number>();
    const first = await bombard(requests / 2, 1_000, statuses);
    const [{ objects }, memory, files] = [
      await measureLiveMemory(server),
      await readMemory(server),
      countOpenFiles(server),
    ];
    const second = await bombard(requests / 2, 2_000_000, statuses);
    console.log(`answers by status: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
    const answers = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    expect(answers).toBeGreaterThan(requests / 2); // the others left early, or sent something that ends a connection
    expect(first + second).toBeGreaterThanOrEqual(requests);
    const growth = (await measureLiveMemory(server)).objects - objects;
    console.log(`the heap grew by ${growth.toFixed(2)} MB`);
    expect(growth).toBeLessThan(maxHeapGrowth);
    expect(await readMemory(server)).toBeLessThan(memory + 64); // also covers memory outside the heap
    await until(() => (countOpenFiles(server) <= files + 4 ? true : undefined));
    for (const status of ["200", "204", "304", "400", "404", "405"])
      expect(statuses.get(status), status).toBeGreaterThan(0);
    expect(server.child.exitCode).toBeNull();
    expect(server.output()).not.toContain('"level":"error"');
    const { status, body } = await askRaw(port, "/v1/history?limit=1");
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ success: true });
  }, 900_000);
});
