// Tests downloads: whole files and parts, conditions, HEAD, bad ranges, and that a slow client of a large file holds no memory.
import { hash } from "node:crypto";
import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DownloadName,
  downloadKey,
  downloadNames,
  downloadTypes,
} from "../../../../api-static/contract/answers/downloads.ts";
import type { Listener } from "../../../../api-static/server/http/listener.ts";
import { useRelease } from "../release.fixture.ts";
import { askRaw, listen, until } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const largeBytes = 250 * 2 ** 20;
const maxHeld = 64 * 2 ** 20; // other tests of the process leave some; each of five downloads would hold four times as much
const contents = new Map(downloadNames.map((name) => [name, Buffer.from(`${name}\0`.repeat(9_000))]));
const parquet = contents.get("grants.parquet") ?? Buffer.alloc(0);
const etag = `"${hash("sha256", parquet)}"`;
const size = parquet.length;
const url = "/v1/downloads/grants.parquet";
let server: Listener;
let port = 0;

const partOf = (name: DownloadName) => join("public", downloadKey(name));
const pathOf = (name: DownloadName) => join(served().folder, partOf(name));

/** Puts a file into the release, as a sync does. */
async function put(name: DownloadName, body: Buffer, bytes = body.length): Promise<void> {
  await mkdir(dirname(pathOf(name)), { recursive: true });
  await rm(pathOf(name), { force: true });
  await writeFile(pathOf(name), body);
  Object.assign(served().release.facts.parts, { [partOf(name)]: { bytes, sha256: hash("sha256", body) } });
}

beforeAll(async () => {
  for (const [name, body] of contents) await put(name, body);
  ({ server, port } = await listen((request) => served().app.handle(request)));
});
afterAll(() => server.close());

const ask = (headers: Record<string, string> = {}, method = "GET") => askRaw(port, url, headers, method);

describe("a download", () => {
  it.each(downloadNames)(
    "is sent whole and never compressed, with its type and its digest as ETag: %s",
    async (name) => {
      const answer = await askRaw(port, `/${downloadKey(name)}`, { "Accept-Encoding": "gzip, br" });
      const body = contents.get(name) ?? Buffer.alloc(0);
      expect([answer.status, answer.body.equals(body)]).toStrictEqual([200, true]);
      expect(answer.headers).toMatchObject({
        "content-type": downloadTypes[name],
        "content-length": String(body.length),
        "accept-ranges": "bytes",
        "x-release": "20261120T040000Z",
        etag: `"${hash("sha256", body)}"`,
      });
      expect(answer.headers["cache-control"]).toMatch(/^public, max-age=300, s-maxage=/);
      for (const header of ["content-encoding", "vary", "content-range"])
        expect(answer.headers[header], header).toBeUndefined();
      for (const header of ["Content-Range", "Accept-Ranges", "Content-Length", "ETag"])
        expect(answer.headers["access-control-expose-headers"]).toContain(header);
    },
  );

  it("of a pinned release is kept forever", async () => {
    const answer = await askRaw(port, `/r/20261120T040000Z${url}`, { Range: "bytes=0-5" });
    expect([answer.status, answer.body.toString()]).toStrictEqual([206, "grants"]);
    expect(answer.headers["cache-control"]).toContain("immutable");
    expect((await askRaw(port, `/r/20200101T040000Z${url}`)).status).toBe(404);
  });

  it.each([
    ["bytes=0-5", 0, 6],
    ["bytes=-4", size - 4, size],
    [`bytes=-${size + 262_144}`, 0, size],
    ["bytes=70000-", 70_000, size],
    [`bytes=${size - 1}-${size + 9}`, size - 1, size],
  ])("is sent in part: %s", async (range, from, to) => {
    const answer = await ask({ Range: range, "If-Range": etag });
    expect([answer.status, answer.body.equals(parquet.subarray(from, to))]).toStrictEqual([206, true]);
    expect(answer.headers["content-range"]).toBe(`bytes ${from}-${to - 1}/${size}`);
    expect([answer.headers["content-length"], answer.headers.etag]).toStrictEqual([String(to - from), etag]);
  });

  it.each([
    { Range: "bytes=0-5,9-10" },
    { Range: "lines=0-5" },
    { Range: "bytes=0-5", "If-Range": '"other"' },
    { Range: "bytes=0-5", "If-Range": "Fri, 20 Nov 2026 04:00:00 GMT" },
    { Range: "bytes=x", "If-Range": `W/${etag}` },
  ] as Record<string, string>[])("is sent whole if the range is ignored: %j", async (headers) => {
    const answer = await ask(headers);
    expect([answer.status, answer.body.length, answer.headers["content-range"]]).toStrictEqual([
      200,
      size,
      undefined,
    ]);
  });

  it.each(["bytes=999999-", "bytes=-0", "bytes=5-4", "bytes=x", "bytes=-", "bytes=0-1-2"])(
    "refuses a range without bytes of the file: %s",
    async (range) => {
      const { status, headers, body } = await ask({ Range: range });
      expect([status, JSON.parse(body.toString()).code]).toStrictEqual([416, "range_not_satisfiable"]);
      expect(headers["content-range"]).toBe(`bytes */${size}`);
      expect(headers["cache-control"]).toBe("no-store");
    },
  );

  it("is not sent to clients that have it, and HEAD describes the whole file", async () => {
    const known = await ask({ "If-None-Match": `"a", W/${etag}`, Range: "bytes=0-5" });
    expect([known.status, known.body.length, known.headers.etag]).toStrictEqual([304, 0, etag]);
    const head = await ask({ Range: "bytes=0-5" }, "HEAD");
    expect([head.status, head.body.length, head.headers["content-length"]]).toStrictEqual([
      200,
      0,
      String(size),
    ]);
    expect((await ask({}, "OPTIONS")).headers["access-control-allow-headers"]).toBe("*");
    expect((await ask({}, "POST")).status).toBe(405);
  });

  it("is 412 for the rest of another file, also for HEAD and before its range is read", async () => {
    for (const range of ["bytes=6-", "bytes=999999-"]) {
      const other = await ask({ "If-Match": '"other"', Range: range });
      expect([other.status, JSON.parse(other.body.toString()).code]).toStrictEqual([
        412,
        "precondition_failed",
      ]);
    }
    expect((await ask({ "If-Match": `W/${etag}` }, "HEAD")).status).toBe(412);
    const rest = await ask({ "If-Match": etag, Range: "bytes=6-" });
    expect([rest.status, rest.body.equals(parquet.subarray(6))]).toStrictEqual([206, true]);
  });

  it("exists under its exact name only", async () => {
    for (const path of [
      "",
      "/",
      "/grants.csv",
      "/Grants.parquet",
      "/..%2F..%2Fopenapi.json",
      "/grants.parquet/",
      "/%FF",
      "/grants.parquet?a=1",
    ]) {
      const { status, body } = await askRaw(port, `/v1/downloads${path}`);
      expect([status, JSON.parse(body.toString()).code], path).toStrictEqual([404, "not_found"]);
    }
    const { parts } = served().release.facts as { parts: Record<string, unknown> };
    const sealed = parts[partOf("SHA256SUMS")];
    delete parts[partOf("SHA256SUMS")];
    expect((await askRaw(port, "/v1/downloads/SHA256SUMS")).status).toBe(404);
    parts[partOf("SHA256SUMS")] = sealed;
  });

  it("fails if the file does not have its sealed size", async () => {
    await put("croissant.json", Buffer.from("{}"), 3);
    const { status, body } = await askRaw(port, "/v1/downloads/croissant.json");
    expect([status, JSON.parse(body.toString()).code]).toStrictEqual([500, "internal"]);
    await put("croissant.json", contents.get("croissant.json") ?? Buffer.alloc(0));
  });
});

describe("a large download", () => {
  it("is refused while too many of them are not read, which HEAD and conditions do not count", async () => {
    await put("grants.csv.gz", Buffer.alloc(0), largeBytes);
    await truncate(pathOf("grants.csv.gz"), largeBytes);
    const most = 64; // 16 for each of the four exports that may run
    const answers = await Promise.all(Array.from({ length: most }, start));
    const refused = await askRaw(port, url);
    expect([refused.status, refused.headers["retry-after"]]).toStrictEqual([503, "60"]);
    expect((await ask({}, "HEAD")).status).toBe(200);
    expect((await ask({ "If-None-Match": etag })).status).toBe(304);
    for (const answer of answers) answer.destroy();
    await until(async () => ((await ask()).status === 200 ? true : undefined));
    await restore();
  });

  const restore = () => put("grants.csv.gz", contents.get("grants.csv.gz") ?? Buffer.alloc(0));

  const start = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/v1/downloads/grants.csv.gz", agent: false }, (answer) =>
        resolve(answer.pause()),
      ).on("error", reject);
    });

  it("takes no memory while its clients do not read, and arrives whole although a sync removes it", async () => {
    await put("grants.csv.gz", Buffer.alloc(0), largeBytes);
    await truncate(pathOf("grants.csv.gz"), largeBytes); // a hole takes no space
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const answers = await Promise.all(Array.from({ length: 5 }, start));
    await sleep(200);
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(maxHeld);
    await rm(pathOf("grants.csv.gz"));
    let bytes = 0;
    for await (const chunk of answers[0] as IncomingMessage) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(largeBytes);
    for (const answer of answers) answer.destroy();
    await restore();
  });
});
