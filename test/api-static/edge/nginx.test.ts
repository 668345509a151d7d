// Tests that nginx answers as the server does: the whole request table, odd queries, other methods and headers.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { site } from "../../pipeline/release.fixture.ts";
import { proofs, spreadOf } from "../../proofs.ts";
import { requestTable, siteTable } from "../requestTable.ts";
import type { RawAnswer } from "../server/socket.fixture.ts";
import { expectSame, gzip, type Headers, useEdge } from "./edge.fixture.ts";
import { isNginxInstalled } from "./nginx.fixture.ts";

const host = useEdge();
const server = (path: string, headers?: Headers, method?: string) => host().ask(path, headers, method);
const edge = (path: string, headers?: Headers, method?: string) => host().askEdge(path, headers, method);

/** Only a server reports how long it took, or sends a 200 without an ETag (/v1/report). */
const isFromFile = ({ status, headers }: RawAnswer) =>
  status === 200 && headers["server-timing"] === undefined && headers.etag !== undefined;

const sharedSeconds = ({ headers }: RawAnswer) =>
  Number(/s-maxage=(\d+)/.exec(headers["cache-control"] ?? "")?.[1]);

describe.skipIf(!isNginxInstalled)("the request table through nginx", () => {
  it.each([
    ["gzip", gzip],
    ["no", {}],
  ] as const)(
    "has the server's status, body and headers, with %s encoding",
    async (_, headers) => {
      const rows = [...new Map(requestTable(host().facts).map((row) => [row.path, row])).values()];
      const table = spreadOf("requests through nginx", rows, 5);
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
      expect(files).toBeGreaterThan(5);
    },
    60_000,
  );

  it("has the server's answers for the site: pages, assets, and names that it does not have", async () => {
    const table = siteTable(readdirSync(join(site, "assets")));
    for (const headers of [gzip, {}])
      for (const { path, status } of [...table, ...table]) {
        const [ours, theirs] = [await server(path, headers), await edge(path, headers)]; // the second time from the cache
        expect(theirs.status, path).toBe(status);
        expectSame(path, ours, theirs);
        expect(theirs.headers.etag, path).toBe(ours.headers.etag);
      }
  });

  it("is answered without a server if a page file has the answer", async () => {
    const { ein, records } = host().facts.big;
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
    expect(isFromFile(await edge(`/v1/funders/${ein}/history-100-100.json`))).toBe(true);
    expect(isFromFile(await edge(`/v1/funders/${ein}/history?limit=0100`))).toBe(false);
  });

  it("is walked to the end by the Link headers, page file after page file", async () => {
    const { ein, records } = host().facts.big;
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
  it("has the server's answer for any parameters, values and spelling", async () => {
    const { big, small, unknownEin } = host().facts;
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
      `/v1/funders/${big.ein}/history-100-0.json`,
      `//v1/funders/${big.ein}/history`,
      `/v1/x/../funders/${big.ein}/history`,
    );
    await fc.assert(
      fc.asyncProperty(path, query, fc.boolean(), async (path, query, isPacked) => {
        const url = encodeURI(`${path}${query === "" ? "" : `?${query}`}`).replaceAll("%25", "%");
        const headers = isPacked ? gzip : {};
        expectSame(url, await server(url, headers), await edge(url, headers));
      }),
      { numRuns: proofs.anyEdgeQueries, seed: 20261120 },
    );
  }, 60_000);

  it("has the server's answer if a query is almost one that a file answers", async () => {
    const { ein } = host().facts.big;
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
    const path = `/v1/funders/${host().facts.big.ein}/history`;
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

  it("has the same bytes as a server for exports and pinned releases", async () => {
    const { ein } = host().facts.big;
    for (const path of [
      `/v1/funders/${ein}/history.csv`,
      "/v1/history.csv?transaction_year=2021",
      `/r/20261120T040000Z/v1/funders/${ein}/history?limit=100`,
      "/r/20261119T040000Z/v1/history?limit=50",
      "/r/20261119T040000Z/v1/history.csv?transaction_year=2021",
      "/r/20200101T040000Z/v1/history",
    ])
      for (const _ of ["first", "cached"]) expectSame(path, await server(path), await edge(path));
  });

  it("is answered 304 for its own ETag, from a file and from the cache", async () => {
    for (const path of [`/v1/funders/${host().facts.big.ein}/history`, "/v1/history?limit=20"]) {
      for (const headers of [gzip, {}] as Headers[]) {
        const { headers: given } = await edge(path, headers);
        const again = await edge(path, { ...headers, "If-None-Match": String(given.etag) });
        expect([again.status, again.body.length], path).toStrictEqual([304, 0]);
        expect(again.headers["cache-control"], path).toBe(given["cache-control"]);
      }
    }
  });

  it("unpacks to the plain body if the client accepts gzip, also through other proxies and for HEAD", async () => {
    const path = `/v1/funders/${host().facts.big.ein}/history`;
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

async function askWithBody(path: string, bytes: number): Promise<{ status: number; body: string }> {
  const answer = await fetch(`http://127.0.0.1:${host().nginx.port}${path}`, {
    method: "POST",
    body: "x".repeat(bytes),
  });
  return { status: answer.status, body: await answer.text() };
}
