// Tests what the answers of operations have in common, by one table: type, caching, origins, conditions, compression, HEAD and pins.
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type OperationId, operations } from "../../../../api-static/contract/request.ts";
import type { TableFacts } from "../../tableFacts.ts";
import { useRelease } from "../release.fixture.ts";
import { type RawAnswer, useSocket } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 4_000 });
const ask = useSocket(served);
const gzip = { "Accept-Encoding": "gzip" };

/** The clock says 23:00, and the sync ends at 04:30. */
const untilSync = "public, max-age=300, s-maxage=19800, stale-while-revalidate=3600, stale-if-error=86400";
const forSeconds = "public, max-age=5";
const forever = "public, max-age=31536000, immutable";
const never = "no-store";
const [json, csv, text] = [
  "application/json; charset=utf-8",
  "text/csv; charset=utf-8; header=present",
  "text/plain",
];

/** A path, the type of its answer, its caching, and its caching below a pinned release; 404 if no release pins it. */
type Row = readonly [path: string, type: string, caching: string, pinned: string | 404];

/** The path for agents has no answer to a GET, and only a release with proven lists has likely funders. */
type Listed = Exclude<OperationId, "callTools" | "listLikelyFunders">;

function table({ big, recipientEin, organizationEin = "", grantId, year }: TableFacts): Record<Listed, Row> {
  const page = (path: string): Row => [path, json, untilSync, forever];
  const file = (path: string): Row => [path, csv, untilSync, forever];
  const feed = (path: string, type: string): Row => [path, type, untilSync, 404];
  const found = (path: string, type = json): Row => [`/v1/reconcile${path}`, type, never, never];
  const [atom, jsonFeed] = ["application/atom+xml; charset=utf-8", "application/feed+json"];
  const [funder, recipient] = [`/v1/funders/${big.ein}`, `/v1/recipients/${recipientEin}`];
  return {
    searchGrants: page("/v1/history?purpose=support"),
    listFunderGrants: page(`${funder}/history?limit=7`),
    listRecipientGrants: page(`${recipient}/history`),
    summarizeGrants: page("/v1/history/summary?purpose=support"),
    summarizeFunderGrants: page(`${funder}/history/summary`),
    groupGrants: page("/v1/history/groups?by=recipient&purpose=support"),
    exportGroups: file("/v1/history/groups.csv?by=recipient"),
    exportGrants: file(`/v1/history.csv?transaction_year=${year}`),
    exportFunderGrants: file(`${funder}/history.csv`),
    exportRecipientGrants: file(`${recipient}/history.csv`),
    followGrants: feed("/v1/history.atom", atom),
    followGrantsJson: feed("/v1/history.feed.json", jsonFeed),
    followFunder: feed(`${funder}/history.atom`, atom),
    followFunderJson: feed(`${funder}/history.feed.json`, jsonFeed),
    summarizeFunder: page(`${funder}/summary`),
    summarizeRecipient: page(`${recipient}/summary`),
    listFunderPeers: page(`${funder}/peers`),
    listRecipientPeers: page(`${recipient}/peers`),
    listSharedRecipients: page(`/v1/recipients/shared?funders=${big.ein}`),
    readGrant: page(`/v1/grants/${grantId}`),
    readOrganization: page(`/v1/organizations/${organizationEin}`),
    findOrganizations: page("/v1/organizations?name=foundation"),
    listNames: page(`/v1/names?eins=${organizationEin}`),
    reconcile: found(""),
    suggestOrganizations: found("/suggest/entity?prefix=foundation"),
    suggestProperties: found("/suggest/property?prefix=s"),
    suggestTypes: found("/suggest/type?prefix=f"),
    previewOrganization: found(`/preview?id=${organizationEin}`, "text/html; charset=utf-8"),
    readFunderPage: page(`${funder}/history-100-0.json`),
    readSearchTotals: page("/v1/history/all/summary.json"),
    readSearchPage: page("/v1/history/all/100-0.json"),
    listNamesByEin: page(`/v1/names/eins/${organizationEin.slice(0, 4)}.json`),
    downloadFile: ["/v1/downloads/grants.parquet", "application/vnd.apache.parquet", untilSync, forever],
    readChanges: ["/v1/changes/index.json", json, forSeconds, forSeconds],
    readStatus: ["/v1/status", json, forSeconds, forSeconds],
    readReport: ["/v1/report", json, forSeconds, forSeconds],
    readContract: ["/openapi.json", json, untilSync, 404],
    readHealth: ["/healthz", text, never, 404],
    readReadiness: ["/readyz", text, never, 404],
  };
}

/** Bytes of the shortest body that is compressed. */
const minCompressedBytes = 500;

/** Headers without those that change from request to request. */
function steady({ headers }: RawAnswer): object {
  const varying = new Set(["date", "server-timing", "connection", "x-request-id", "transfer-encoding"]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !varying.has(name)));
}

/** Expects that HEAD has the headers of GET and no body. */
async function expectHead(path: string, headers: Record<string, string>, get: RawAnswer): Promise<void> {
  const head = await ask(path, headers, "HEAD");
  expect([head.status, head.body.length, steady(head)], path).toStrictEqual([get.status, 0, steady(get)]);
}

describe("the answer of an operation", () => {
  const listed = operations.filter(({ id }) => id !== "callTools" && id !== "listLikelyFunders");

  it.each(listed)(
    "has the headers that its row says, its conditions, encodings and pin: $id",
    async (row) => {
      const { facts, release } = served();
      const [path, type, caching, pinned] = table(facts)[row.id as Listed];
      const plain = await ask(path);
      expect(plain.status).toBe(200);
      expect(plain.headers).toMatchObject({
        ...{ "content-type": type, "cache-control": caching, "x-content-type-options": "nosniff" },
        "access-control-allow-origin": "*",
      });
      for (const name of ["ETag", "Link", "X-Release", "Retry-After"])
        expect(plain.headers["access-control-expose-headers"]).toContain(name);
      if (type !== csv) expect(plain.headers["content-length"]).toBe(String(plain.body.length));
      const declared: readonly string[] =
        "answer" in row && "headers" in row.answer ? row.answer.headers : [];
      const isDownload = row.id === "downloadFile";
      // An answer that no cache keeps has no Vary if it is too short to be compressed.
      for (const name of declared.filter((name) => name !== "Vary" || caching !== never))
        expect(plain.headers).toHaveProperty(name.toLowerCase());
      expect(plain.headers["x-release"]).toBe(
        declared.includes("X-Release") ? release.facts.release : undefined,
      );
      await expectHead(path, {}, plain);

      const packed = await ask(path, gzip);
      const isPacked = packed.headers["content-encoding"] === "gzip";
      expect((isPacked ? gunzipSync(packed.body) : packed.body).equals(plain.body)).toBe(true);
      const isStored = row.id === "listNamesByEin"; // compressed by the sync, however short
      expect(isPacked).toBe((plain.body.length >= minCompressedBytes || isStored) && !isDownload);
      await expectHead(path, gzip, packed);

      expect(plain.headers.etag !== undefined).toBe(declared.includes("ETag"));
      for (const { headers } of declared.includes("ETag") ? [plain, packed] : []) {
        expect(headers.etag).toMatch(isDownload ? /^"[0-9a-f]{64}"$/ : /^"[0-9a-f]{32}(-gzip)?"$/);
        const again = await ask(path, { "If-None-Match": String(headers.etag) });
        expect([again.status, again.body.length, again.headers["cache-control"]]).toEqual([304, 0, caching]);
      }

      const below = await ask(`/r/${release.facts.release}${path}`);
      if (pinned === 404)
        expect([below.status, JSON.parse(String(below.body)).code]).toEqual([404, "not_found"]);
      else {
        expect([below.status, below.headers["cache-control"]]).toEqual([200, pinned]);
        if (row.id !== "reconcile") expect(below.body.equals(plain.body)).toBe(true); // which names its own address
      }
    },
  );

  it("has its own tests if it is not in the table", () => {
    expect(operations.length - listed.length).toBe(2);
  });
});

describe("an error, a redirect, or a page of the site", () => {
  const manyProblems = `/v1/history?${Array.from({ length: 1_300 }, (_, index) => `p${index}`).join("&")}`;

  it("is readable by any page, names its release, and has the same headers for HEAD", async () => {
    const { big, unknownEin } = served().facts;
    const moved = `/v1/funders/${big.ein.slice(0, 2)}-${big.ein.slice(2)}/history`;
    for (const [path, status, type, isOfRelease] of [
      [`/v1/funders/${unknownEin}/history`, 404, json, true],
      ["/v1/history?limit=0", 400, json, false],
      [manyProblems, 400, json, false],
      [moved, 308, undefined, false],
      ["/nowhere", 404, "text/html; charset=utf-8", false],
      ["/", 200, "text/html; charset=utf-8", false],
    ] as const)
      for (const headers of [{}, gzip]) {
        const answer = await ask(path, headers);
        expect([answer.status, answer.headers["content-type"]], path).toEqual([status, type]);
        expect(answer.headers).toMatchObject({
          ...{ "access-control-allow-origin": "*", "x-content-type-options": "nosniff" },
          "content-length": String(answer.body.length),
        });
        if (isOfRelease) expect(answer.headers["x-release"]).toBe(served().release.facts.release);
        await expectHead(path, headers, answer);
      }
  });
});
