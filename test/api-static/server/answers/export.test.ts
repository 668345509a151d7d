// Tests that an export has exactly the records that a brute-force scan finds, and frees what it uses.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, truncate } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { recordFields } from "../../../../api-static/contract/answers/record.ts";
import { Refusal } from "../../../../api-static/contract/errors.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { Release } from "../../../../api-static/search/release.ts";
import { type Export, Exports } from "../../../../api-static/server/answers/export.ts";
import { Clients } from "../../../../api-static/server/http/clients.ts";
import { proofs } from "../../../proofs.ts";
import { itWhole } from "../../../whole.ts";
import { type GivenFilters, Oracle } from "../../search/oracle.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";
import { askRaw, listen, sendBytes, until } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

/** The cells of records, read from their lines with numbers as they are written. */
function cellsOf(lines: readonly string[]): string[][] {
  type Context = { source: string };
  const asWritten = (_: string, value: unknown, { source }: Context) =>
    typeof value === "number" ? source : value;
  return lines.map((line) => {
    const record = JSON.parse(line, asWritten as (key: string, value: unknown) => unknown) as object;
    expect(Object.keys(record)).toStrictEqual([...recordFields]);
    return Object.values(record).map((value) => value ?? "");
  });
}

function checkCsv(csv: string, lines: readonly string[]): void {
  const [header, ...rows] = parse(csv, { record_delimiter: "\r\n" });
  expect(header).toStrictEqual([...recordFields]);
  expect(rows).toStrictEqual(cellsOf(lines));
  expect(csv.endsWith("\r\n")).toBe(true);
}

const hrefOf = (path: string, filters: GivenFilters) =>
  `${path}?${new URLSearchParams(filters as Record<string, string>)}`;

describe("an export", () => {
  it("of everything has every record once, in the contract's order", async () => {
    const { askText, lines } = served();
    checkCsv(await askText("/v1/history.csv"), new Oracle(lines).find({}));
  });

  it("has what a brute-force scan finds, whatever its filters, on both paths", async () => {
    const { askText, lines } = served();
    const oracle = new Oracle(lines);
    const present = lines.map((line) => JSON.parse(line) as Record<string, string | number | null>);
    const request = fc
      .tuple(
        fc.constantFrom(...present),
        fc.subarray([
          "recipient_ein",
          "transaction_year",
          "purpose",
          "recipient_name",
          "min_amount",
        ] as const),
        fc.constantFrom("any", "filter", "path"),
        fc.integer({ min: 1, max: 40 }),
      )
      .map(([record, names, funder, length]) => {
        const values = { ...record, min_amount: record.amount } as Record<string, unknown>;
        const given = names.flatMap((name) => {
          const letters = [...String(values[name] ?? "")]; // half a letter is not valid in a URL
          const value = letters
            .slice(0, name === "purpose" ? length : 200)
            .join("")
            .trim();
          return value === "" ? [] : [[name, value]];
        });
        return { funder, ein: String(record.funder_ein), filters: Object.fromEntries(given) as GivenFilters };
      });
    await fc.assert(
      fc.asyncProperty(request, async ({ funder, ein, filters }) => {
        const href =
          funder === "path"
            ? hrefOf(`/v1/funders/${ein}/history.csv`, filters)
            : hrefOf("/v1/history.csv", funder === "any" ? filters : { funder_ein: ein, ...filters });
        checkCsv(
          await askText(href),
          oracle.find(funder === "any" ? filters : { funder_ein: ein, ...filters }),
        );
      }),
      { numRuns: proofs.anyExports },
    );
  });

  it("without records has only the header", async () => {
    const { askText, facts } = served();
    for (const path of ["/v1/history.csv?purpose=zzzzzz", `/v1/history.csv?funder_ein=${facts.unknownEin}`])
      expect(await askText(path)).toBe(`${recordFields.join(",")}\r\n`);
  });

  it("escapes formulas only on request", async () => {
    const { askText, lines } = served();
    const negative = new Oracle(lines)
      .find({ funder_ein: "131635294" })
      .filter((line) => line.includes(":-"));
    expect(negative.length).toBeGreaterThan(0);
    const plain = await askText("/v1/funders/131635294/history.csv");
    expect(await askText("/v1/funders/131635294/history.csv?formulas=escape")).toBe(plain); // it has no formula
  });
});

describe("an export with names", () => {
  it("has the name of every organization on the list, and otherwise the same text", async () => {
    const { askText, folder } = served();
    const list = readFileSync(join(folder, parts.organizations), "utf8").trimEnd().split("\n");
    const names = new Map(list.map((line) => [JSON.parse(line).ein, JSON.parse(line).name] as const));
    const plain: string[][] = parse(await askText("/v1/history.csv"), { record_delimiter: "\r\n" });
    const named: string[][] = parse(await askText("/v1/history.csv?names=1"), { record_delimiter: "\r\n" });
    expect(named.map((row) => row.slice(0, 11))).toStrictEqual(plain);
    const expected = plain.slice(1).map((row) => [names.get(row[1]) ?? "", names.get(row[4]) ?? ""]);
    expect(named.slice(1).map((row) => row.slice(11))).toStrictEqual(expected);
    expect(new Set(expected.map(([name]) => name)).size).toBeGreaterThan(5);
  });

  it("is kept only briefly, because no purge list has it; forever if it is pinned", async () => {
    const { app, release } = served();
    const path = "/v1/history.csv?transaction_year=2020&names=1";
    const cachingOf = async (path: string) =>
      (await app.request(path, { method: "HEAD" })).headers.get("Cache-Control");
    expect(await cachingOf(path)).toBe("public, max-age=5");
    expect(await cachingOf(`/r/${release.facts.release}${path}`)).toBe("public, max-age=31536000, immutable");
  });
});

describe("an export for Excel", () => {
  it("has a byte order mark, hyphens in EINs, and no formulas", async () => {
    const { ask, askText } = served();
    const escaped = await askText("/v1/funders/131635294/history.csv?formulas=escape");
    const answer = await ask("/v1/funders/131635294/history.csv?excel=1");
    const text = Buffer.from(await answer.arrayBuffer()).toString(); // text() would drop the mark
    expect(text.startsWith("\uFEFFid,")).toBe(true);
    const rows: string[][] = parse(text.slice(1), { record_delimiter: "\r\n" });
    const withDigits = rows.map((row) =>
      row.map((cell, at) => (at === 1 || at === 4 ? cell.replace("-", "") : cell)),
    );
    expect(withDigits).toStrictEqual(parse(escaped, { record_delimiter: "\r\n" }));
    expect(rows.slice(1).every((row) => row[1] === "13-1635294")).toBe(true);
  });
});

describe("the name of an export", () => {
  it.each([
    ["/v1/history.csv?transaction_year=2020", "grants-2020"],
    ["/v1/history.csv?funder_ein=13-1635294", "grants-131635294"],
    ["/v1/funders/131635294/history.csv", "grants-131635294"],
  ])("of %s is %s and the date", async (path, name) => {
    const { headers } = await served().app.request(path, { method: "HEAD" });
    expect(headers.get("Content-Disposition")).toBe(
      `attachment; filename="${name}-${served().release.facts.synced_at.slice(0, 10)}.csv"`,
    );
  });
});

describe("an export that is rejected", () => {
  it.each([
    ["/v1/history.csv?limit=5&offset=0", ["limit", "offset"]],
    ["/v1/funders/131635294/history.csv?limit=5", ["limit"]],
    ["/v1/funders/131635294/history.csv?funder_ein=131635294", ["funder_ein"]],
    ["/v1/history.csv?formulas=no&min_amount=x", ["formulas", "min_amount"]],
    ["/v1/history.csv?formulas=escape&formulas=escape", ["formulas"]],
    ["/v1/history?formulas=escape", ["formulas"]],
    ["/v1/funders/1316352/history.csv", ["funder_ein"]],
  ])("%s names every invalid parameter", async (path, names) => {
    const answer = await served().ask(path);
    expect(answer.status).toBe(400);
    const { code, details } = (await answer.json()) as { code: string; details: { parameter: string }[] };
    expect(code).toBe("invalid_parameter");
    expect(details.map(({ parameter }) => parameter)).toStrictEqual(names);
  });
});

/** The same chunks, each after a delay in milliseconds. */
async function* delay(chunks: Export["chunks"], milliseconds: number): Export["chunks"] {
  for await (const chunk of chunks) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    yield chunk;
  }
}

describe("an export that runs", () => {
  /** A service on a separately opened release, which nothing else keeps open, as after a swap. */
  async function open(folder = served().folder, running = 2) {
    const release = await Release.open(folder);
    const exports = new Exports({ running, seconds: 60, minutes: 60, leastRate: 0 });
    const logged: string[] = [];
    const app = createTestApp(release, (line) => logged.push(line), { exports });
    const isOpen = () => {
      try {
        return release.records.readRange(0, 1).length > 0;
      } catch {
        return false;
      }
    };
    return { release, exports, app, logged, isOpen };
  }

  it.each(["/v1/history.csv", "/v1/funders/131635294/history.csv", "/v1/history.csv?purpose=a"])(
    "reads no further than its client does, and searches still run: %s",
    async (path) => {
      const { release, app } = await open();
      const read = vi.spyOn(release.records, "readLinesInTurns");
      const bodies = await Promise.all(
        [path, path].map(async (path) => (await app.request(path)).body?.getReader()),
      );
      for (const body of bodies) for (let chunk = 0; chunk < 3; chunk++) await body?.read();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(read.mock.calls.length).toBe(4); // the first chunk is the header
      expect((await app.request("/v1/history?purpose=support")).status).toBe(200);
      for (const body of bodies) await body?.cancel();
      release.leave();
    },
  );

  it.each([{}, { "Accept-Encoding": "gzip" }])(
    "keeps its release open to its end, even if a new one is served: %j",
    async (headers) => {
      const { release, exports, app, isOpen } = await open();
      const whole = await served().askText("/v1/history.csv");
      const answer = await app.request("/v1/history.csv", { headers });
      release.leave();
      expect([exports.places.taken, isOpen()]).toStrictEqual([1, true]);
      const body = Buffer.from(await answer.bytes());
      expect(("Accept-Encoding" in headers ? gunzipSync(body) : body).toString()).toBe(whole);
      await until(() => (exports.places.taken === 0 ? true : undefined));
      await release.closed;
      expect(isOpen()).toBe(false);
    },
  );

  it.each([{}, { "Accept-Encoding": "gzip" }])(
    "leaves its release when its client disconnects, at the start or later: %j",
    async (headers) => {
      for (const chunks of [0, 1, 2]) {
        const { release, exports, app, isOpen } = await open();
        const body = (await app.request("/v1/history.csv", { headers })).body?.getReader();
        release.leave();
        for (let chunk = 0; chunk < chunks; chunk++) await body?.read();
        expect(isOpen()).toBe(true);
        await body?.cancel();
        await until(() => (exports.places.taken === 0 ? true : undefined));
        await release.closed;
        expect(isOpen()).toBe(false);
      }
    },
  );

  it("counts toward a limit, beyond which the next one gets 503", async () => {
    const { release, exports, app } = await open();
    const bodies = await Promise.all([1, 2].map(async () => (await app.request("/v1/history.csv")).body));
    const refused = await app.request("/v1/history.csv");
    expect([refused.status, refused.headers.get("Retry-After")]).toStrictEqual([503, "60"]);
    expect(await refused.json()).toMatchObject({ success: false, code: "overloaded" });
    for (const body of bodies) await body?.cancel();
    expect(exports.places.taken).toBe(0);
    expect(await (await app.request("/v1/history.csv", { method: "HEAD" })).text()).toBe("");
    expect(exports.places.taken).toBe(0);
    release.leave();
  });

  it.each(["HTTP/1.1", "HTTP/1.0"])(
    "is cut off with a reset when the server ends before it: %s",
    async (version) => {
      const { release, exports, app } = await open();
      const { server, port } = await listen(app.handle);
      const socket = connect(port, "127.0.0.1");
      socket.once("data", () => exports.places.endAll());
      socket.write(`GET /v1/history.csv ${version}\r\nHost: a\r\n\r\n`);
      const [error] = (await once(socket, "error")) as NodeJS.ErrnoException[];
      expect(error?.code).toBe("ECONNRESET");
      await until(() => (exports.places.taken === 0 ? true : undefined));
      exports.places.endAll(); // no export is left to cut off
      server.close();
      release.leave();
    },
  );

  for (const version of ["HTTP/1.0", "HTTP/1.1"])
    itWhole(
      `arrives complete by ${version}, even if its chunks take longer than a connection may be silent`,
      async () => {
        const { release, exports, app } = await open();
        const path = "/v1/history.csv?funder_ein=131635294&min_amount=1000000";
        const whole = Buffer.from(await served().askText(path)).toString("latin1");
        const openExport = exports.open.bind(exports);
        vi.spyOn(exports, "open").mockImplementation(async (...args) => {
          const opened = await openExport(...args);
          return opened && { ...opened, chunks: delay(opened.chunks, 1_500) };
        });
        const { server, port } = await listen(app.handle);
        server.timeout = 1_000;
        const [[peer], received] = await Promise.all([
          once(server, "connection") as Promise<[Socket]>,
          sendBytes(port, `GET ${path} ${version}\r\nHost: a\r\n\r\n`, 4_000),
        ]);
        for (const line of whole.split("\r\n").slice(1)) expect(received.includes(line), line).toBe(true);
        expect(peer.timeout).toBeGreaterThan(0); // the server's limit applies again
        server.close();
        release.leave();
      },
    );

  it("is cut off at its time limit, even if its client reads steadily", async () => {
    const { release, logged } = await open();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const exports = new Exports({ running: 1, seconds: 60, minutes: 2, leastRate: 0 });
      const app = createTestApp(release, (line) => logged.push(line), { exports });
      const reader = (await app.request("/v1/history.csv")).body?.getReader();
      for (let read = 0; read < 3; read++) {
        expect((await reader?.read())?.done).toBe(false);
        expect(exports.places.taken).toBe(1);
        await vi.advanceTimersByTimeAsync(40_000);
      }
      await expect(reader?.read()).rejects.toThrow("the body cannot continue");
      expect(exports.places.taken).toBe(0);
      const [line = ""] = logged.filter((line) => line.includes("export cut off"));
      expect(JSON.parse(line)).toMatchObject({
        level: "warn",
        err: { type: "TooSlow", message: "it was not sent within 120 s" },
      });
    } finally {
      vi.useRealTimers();
    }
    release.leave();
  });

  it("frees its place when it ends while its search waits to be repeated", async () => {
    const { release, exports } = await open();
    const search = { walk: vi.fn() };
    search.walk
      .mockResolvedValueOnce({ positions: [0], next: 1 })
      .mockRejectedValue(new Refusal({ code: "timeout", message: "too slow" }));
    vi.spyOn(release, "search", "get").mockReturnValue(search as unknown as Release["search"]);
    const opened = await exports.open(release, {
      kind: "export",
      scope: "search",
      filters: {},
      form: { isEscapingFormulas: false, isForExcel: false, hasNames: false },
    });
    for (let chunk = 0; chunk < 2; chunk++) expect((await opened?.chunks.next())?.done).toBe(false);
    const next = opened?.chunks.next();
    await until(() => (search.walk.mock.calls.length > 1 ? true : undefined));
    await Promise.all([opened?.close(), expect(next).rejects.toThrow("aborted")]);
    expect(exports.places.taken).toBe(0);
    vi.restoreAllMocks();
    release.leave();
  });

  it("counts as a search of its client, even for a whole funder", async () => {
    const { release } = await open();
    const clients = new Clients({ searchesPerMinute: 2, trustedProxies: [] }, () => 0);
    const app = createTestApp(release, undefined, { clients });
    const statuses = [];
    for (const path of [
      "/v1/funders/131635294/history.csv",
      "/v1/history.csv",
      "/v1/funders/131635294/history.csv",
    ]) {
      const { status, body } = await app.request(path);
      statuses.push(status);
      await body?.cancel();
    }
    expect(statuses).toStrictEqual([200, 200, 429]);
    release.leave();
  });

  describe("of a damaged release, which ends in the middle", () => {
    it.each([
      ["HTTP/1.1", "plain", ""],
      ["HTTP/1.1", "gzip", "Accept-Encoding: gzip\r\n"],
      ["HTTP/1.0", "plain", ""],
    ])("resets the connection, so that the client sees it: %s, %s", async (version, _, header) => {
      const folder = join(served().data, "..", `damaged-${version.at(-1)}-${header.length}`);
      await cp(served().folder, folder, { recursive: true, verbatimSymlinks: true });
      const middle = served().lines.findIndex((line) => line.includes('"funder_ein":"131635294"')) + 1_000;
      const before = served().lines.slice(0, middle).join(",\n");
      const { release, exports, app, logged } = await open(folder);
      await truncate(join(folder, parts.records), Buffer.byteLength(before) + 50);
      const { server, port } = await listen(app.handle);
      const socket = connect(port, "127.0.0.1");
      socket.write(`GET /v1/funders/131635294/history.csv ${version}\r\nHost: a\r\n${header}\r\n`);
      let received = "";
      socket.setEncoding("latin1").on("data", (text) => {
        received += text;
      });
      const [error] = (await once(socket, "error")) as NodeJS.ErrnoException[];
      expect(error?.code).toBe("ECONNRESET");
      expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
      expect(received).not.toMatch(/\r\n0\r\n\r\n$/); // the end of a chunked body
      expect(received).not.toContain("records");
      await until(() => (exports.places.taken === 0 ? true : undefined));
      expect(logged.filter((line) => line.includes("export cut off")).length).toBe(1);
      expect((await askRaw(port, "/healthz")).status).toBe(200);
      server.close();
      release.leave();
    });
  });
});
