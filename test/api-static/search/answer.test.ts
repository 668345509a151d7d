// Tests that a page file, a slice and a search answer a request with the same bytes.

import { rename } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { isWholeFunder } from "../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { findFunderRow, parts } from "../../../api-static/release/layout.ts";
import { digestBody } from "../../../api-static/release/pageFileFormat.ts";
import {
  answerByFile,
  answerBySearch,
  answerBySlice,
  answerHistory,
  type HistoryAnswer,
} from "../../../api-static/search/answer.ts";
import { isWhole, spreadOf } from "../../proofs.ts";
import { requestTable } from "../requestTable.ts";
import { useRelease } from "../server/release.fixture.ts";
import type { TableRequest } from "../tableRequest.ts";
import { Oracle } from "./oracle.ts";
import { readPlaces } from "./placesOracle.ts";

const served = useRelease({ sampleRows: 4_000 });

/** The table's history requests, parsed as the server parses them. */
function histories() {
  return requestTable(served().facts).flatMap(({ path, status }) => {
    const { pathname, search } = new URL(path, "http://127.0.0.1");
    const request = parseRequest(pathname, search);
    return status === 200 && request.kind === "history" ? [{ path, request }] : [];
  });
}

const plainBody = ({ body, isGzipped }: HistoryAnswer) => (isGzipped ? gunzipSync(body) : body);

describe("the ways to answer a request", () => {
  it("give the same bytes, digest and page for every request of the table that several of them can answer", async () => {
    const { release } = served();
    const compared = { file: 0, slice: 0, searchFile: 0 };
    for (const { path, request } of spreadOf("requests with several ways to answer", histories(), 6)) {
      const { funderEin } = request.filters;
      const funder = findFunderRow(release.funders, Number(funderEin ?? -1));
      const file = await answerByFile(release, request, funder);
      const isOfFunder = isWholeFunder(request.filters);
      if (!isOfFunder && file === undefined) continue;
      if (!isOfFunder) compared.searchFile += 1;
      const search = await answerBySearch(release, request);
      expect(search.digest).toBe(digestBody(plainBody(search)));
      const rivals = [isOfFunder ? await answerBySlice(release, request, funder) : undefined, file];
      for (const rival of rivals.filter((answer) => answer !== undefined)) {
        compared[rival.path as "file" | "slice"] += 1;
        expect(plainBody(rival).equals(plainBody(search)), `${rival.path} of ${path}`).toBe(true);
        expect(rival.digest, path).toBe(search.digest);
        expect(rival.page, path).toStrictEqual(search.page);
      }
    }
    expect(compared.slice).toBeGreaterThan(isWhole ? 200 : 32);
    expect(compared.file).toBeGreaterThan(isWhole ? 50 : 7);
    expect(compared.searchFile).toBeGreaterThan(isWhole ? 15 : 1);
  });

  it("are picked by request: a file for a whole page, a slice for another window of a funder, else a search", async () => {
    const { release, facts } = served();
    const pathOf = async (path: string) => {
      const { pathname, search } = new URL(path, "http://127.0.0.1");
      const request = parseRequest(pathname, search);
      return request.kind === "history" ? (await answerHistory(release, request))?.path : request.kind;
    };
    const funder = `/v1/funders/${facts.big.ein}/history`;
    expect(await pathOf(funder)).toBe("file");
    expect(await pathOf(`/v1/history?funder_ein=${facts.big.ein}&limit=1000`)).toBe("file");
    expect(await pathOf(`${funder}?limit=99`)).toBe("slice");
    const small = `/v1/funders/${facts.small.ein}/history`;
    expect(await pathOf(small)).toBe("file");
    expect(await pathOf(`${small}?limit=1000`)).toBe("slice"); // at most 100 records: no large page
    expect(await pathOf(`${funder}?offset=1000000000`)).toBe("slice");
    expect(await pathOf(`${funder}?min_amount=5`)).toBe("search");
    expect(await pathOf("/v1/history")).toBe("file");
    expect(await pathOf(`/v1/history?transaction_year=${facts.year}&limit=1000`)).toBe("file");
    expect(await pathOf(`/v1/history?min_amount=100000&transaction_year=${facts.year}`)).toBe("file");
    expect(await pathOf("/v1/history?offset=5000")).toBe("search");
    expect(await pathOf("/v1/history?limit=99")).toBe("search");
    expect(await pathOf("/v1/history?min_amount=17")).toBe("search");
    expect(await pathOf(`/v1/funders/${facts.unknownEin}/history?min_amount=5`)).toBeUndefined();
  });

  it("check the few records of a small funder without a thread, with the bytes of a search", async () => {
    const { release, facts } = served();
    const find = vi.spyOn(release.search, "find");
    const filters = [
      "min_amount=5",
      "purpose=e",
      "transaction_year=2019",
      "recipient_name=zzz",
      "min_amount=5&offset=1",
    ];
    for (const filter of filters) {
      const request = parseRequest(`/v1/funders/${facts.small.ein}/history`, `?${filter}`);
      if (request.kind !== "history") throw new Error(`${filter} is refused`);
      const answer = await answerHistory(release, request);
      expect(find).not.toHaveBeenCalled();
      const { plan: _, ...search } = await answerBySearch(release, request);
      expect(answer).toStrictEqual({ ...search, plan: "read of position" });
      find.mockClear();
    }
    find.mockRestore();
  });

  it("give each of many windows its own bytes, although they share memory while they are read", async () => {
    const { release, facts, askText } = served();
    const urls = Array.from(
      { length: 30 },
      (_, index) => `/v1/funders/${facts.big.ein}/history?limit=99&offset=${index}`,
    );
    const together = await Promise.all(urls.map(askText));
    const funder = findFunderRow(release.funders, Number(facts.big.ein));
    const first = funder?.first ?? Number.NaN;
    for (const [index, text] of together.entries())
      expect(text).toContain(
        `[\n${release.records
          .readRange(first + index, first + index + 99)
          .toString()
          .slice(0, -2)}\n]`,
      );
  });

  it("read the lines of a search outside of the event loop", async () => {
    const { release } = served();
    const request = parseRequest("/v1/history", "?purpose=e&limit=1000");
    const read = vi.spyOn(release.records, "readRange");
    const answer = request.kind === "history" ? await answerBySearch(release, request) : undefined;
    expect(answer?.body.toString().split("\n").length).toBe(1000 + 3);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });

  it("read at most ten scattered lines in a turn for an export, so that a slow disk does not block other requests", async () => {
    const { release } = served();
    const { positions, lines } = await release.search.find({ purpose: "e" }, 1000, 0);
    const turnsOfReads: number[] = [];
    const { readRange } = release.records;
    const read = vi.spyOn(release.records, "readRange").mockImplementation((from, to) => {
      turnsOfReads.push(turns);
      return readRange.call(release.records, from, to);
    });
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    try {
      expect(await release.records.readLinesInTurns(positions)).toStrictEqual(lines);
      expect(turnsOfReads.length).toBeGreaterThan(500);
      for (const [index, turn] of turnsOfReads.entries())
        expect(turn).toBeGreaterThan(turnsOfReads[index - 10] ?? -1);
    } finally {
      clearImmediate(next);
      read.mockRestore();
    }
  });

  it("fall back to a slice or a search if a page file is missing", async () => {
    const { folder, facts, ask } = served();
    const path = `/v1/funders/${facts.big.ein}/history`;
    const file = join(folder, parts.public, `${path}-100-100.json.gz`);
    await expectSameWithout(file, `${path}?offset=100`, "slice");
    const search = join(folder, parts.public, "v1/history/all/100-100.json.gz");
    await expectSameWithout(search, "/v1/history?offset=100", "search");

    async function expectSameWithout(file: string, url: string, way: string) {
      const before = await ask(url);
      expect(before.headers.get("Server-Timing")).toMatch(/^file;/);
      await rename(file, `${file}.away`);
      try {
        const after = await ask(`${url}&limit=100`); // the server keeps what it sent, by URL
        expect(after.status).toBe(200);
        expect(after.headers.get("Server-Timing")).toContain(`${way};`);
        expect(after.headers.get("ETag")).toBe(before.headers.get("ETag"));
        expect(await after.text()).toBe(await before.text());
      } finally {
        await rename(`${file}.away`, file);
      }
    }
  });
});

describe("the table of requests", () => {
  it("is answered with the expected status, code and location, and never with a 5xx", async () => {
    const { facts, ask } = served();
    const table = requestTable(facts);
    expect(new Set(table.map(({ status }) => status))).toStrictEqual(new Set([200, 308, 400, 404, 410]));
    const isFine = ({ status }: TableRequest) => status === 200;
    const fine = spreadOf("requests with a 200", table.filter(isFine), 3);
    for (const { path, status, code, location } of [...table.filter((row) => !isFine(row)), ...fine]) {
      const response = await ask(path);
      expect(response.status, path).toBe(status);
      expect(response.headers.get("Location"), path).toBe(location ?? null);
      const body = await response.text(); // an export that nobody reads keeps its place
      if (code !== undefined) expect(JSON.parse(body), path).toMatchObject({ success: false, code });
      if (status === 400 || status === 404)
        expect(response.headers.get("Cache-Control"), path).toBe("public, max-age=60");
    }
  });

  it("is answered with the bytes of a brute-force search", async () => {
    const { facts, ask, lines, warehouse } = served();
    const oracle = new Oracle(lines, await readPlaces(warehouse));
    const fine = requestTable(facts).filter(
      ({ status, path }) =>
        status === 200 &&
        /^\/v1\/(?:funders\/\d+\/)?history(?!\.csv|\.atom|\.feed|\/groups|.*\/?summary)/.test(path),
    );
    for (const { path } of spreadOf("requests against a brute-force search", fine, 14)) {
      expect(await (await ask(path)).text(), path).toBe(expectedBody(oracle, path));
    }
  });

  it("has the same bytes for a search by funder and for the funder's path, with every other filter too", async () => {
    const { facts, askText } = served();
    const ofFunders = requestTable(facts).filter(isFunderHistory);
    expect(ofFunders.length).toBeGreaterThan(100);
    for (const { path } of spreadOf("funders' requests sent as searches", ofFunders, 6)) {
      const { pathname, searchParams } = new URL(path, "http://127.0.0.1");
      searchParams.set("funder_ein", pathname.split("/")[3] ?? "");
      expect(await askText(`/v1/history?${searchParams}`), path).toBe(await askText(path));
    }
  });
});

function isFunderHistory({ path, status }: TableRequest): boolean {
  return status === 200 && /^\/v1\/funders\/\d{9}\/history(\?|$)/.test(path);
}

/** The brute-force body for a URL of the table, which is parsed here in the simplest way. */
function expectedBody(oracle: Oracle, path: string): string {
  const { pathname, searchParams } = new URL(path, "http://127.0.0.1");
  const { limit = "100", offset = "0", ...filters } = Object.fromEntries(searchParams);
  const [, funder, named, keyLimit, keyOffset] =
    /^\/v1\/(?:funders\/(\d+)\/)?history(?:\/([^/]+=[^/]+|all))?(?:[/-](\d+)-(\d+)\.json)?$/.exec(
      decodeURIComponent(pathname),
    ) ?? [];
  const ofName = named === undefined || named === "all" ? {} : Object.fromEntries(new URLSearchParams(named));
  const given = funder === undefined ? { ...filters, ...ofName } : { ...filters, funder_ein: funder };
  return oracle.body(given, Number(keyLimit ?? limit), Number(keyOffset ?? offset));
}

describe("Server-Timing", () => {
  it("names the plan of a search", async () => {
    const { headers } = await served().ask("/v1/history?purpose=support&transaction_year=2020");
    expect(headers.get("Server-Timing")).toMatch(/^search;dur=[\d.]+;desc="purpose by words; scan of rank"$/);
  });
});
