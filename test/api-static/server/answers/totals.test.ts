// Tests the responses with totals and groups: both paths, page files, headers, refusals, and CSV.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { describe, expect, it, vi } from "vitest";
import { Refusal } from "../../../../api-static/contract/errors.ts";
import { parseTotalsKey, totalsHref } from "../../../../api-static/contract/operations/searches.ts";
import { totalsKey } from "../../../../api-static/contract/plainPages.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { Exports } from "../../../../api-static/server/answers/export.ts";
import type { AnsweredSearch } from "../../../../api-static/server/observe/searchLog.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";
import { until } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 4_000 });

type Totals = { records: number; amount: number; funders: number; top_funders: { funder_ein: string }[] };
const readTotals = async (path: string) =>
  (JSON.parse(await served().askText(path)) as { data: Totals }).data;

describe("totals", () => {
  it("of a funder's path equal those of the search for that funder, for any filters", async () => {
    const { askText } = served();
    for (const filters of ["", "purpose=support", "transaction_year=2020", "min_amount=5000"]) {
      const body = await askText(`/v1/funders/131635294/history/summary?${filters}`);
      expect(body).toBe(await askText(`/v1/history/summary?funder_ein=131635294&${filters}`));
      expect(JSON.parse(body).data.funders).toBeLessThan(2);
    }
  });

  it("count what the search counts", async () => {
    const { askText } = served();
    for (const query of ["", "purpose=support", "recipient_name=a&transaction_year=2020", "purpose=zzzzzz"]) {
      const { total } = JSON.parse(await askText(`/v1/history?${query}`)) as { total: number };
      expect((await readTotals(`/v1/history/summary?${query}`)).records).toBe(total);
    }
  });

  it("of an unknown funder are 404 on its path, without a search, and zeros in search", async () => {
    const { ask, facts, release } = served();
    const turn = vi.spyOn(release.search, "findTotals");
    const { status } = await ask(`/v1/funders/${facts.unknownEin}/history/summary`);
    expect([status, turn.mock.calls.length]).toStrictEqual([404, 0]);
    turn.mockRestore();
    const totals = await readTotals(`/v1/history/summary?funder_ein=${facts.unknownEin}`);
    expect(totals).toMatchObject({ records: 0, amount: 0, first_year: null, years: [], top_recipients: [] });
  });

  it("and groups say how they were found", async () => {
    const paths = ["/v1/history/summary?purpose=support", "/v1/history/groups?by=recipient&purpose=support"];
    for (const path of paths)
      expect((await served().ask(path)).headers.get("Server-Timing")).toMatch(/^search;dur=\d+\.\d\d$/);
  });

  it("count as one search of the client, which may have had its last one", async () => {
    const refusal = new Refusal({ code: "rate_limited", message: "no more", retryAfter: 1 });
    const admitSearch = vi.fn((): string => {
      throw refusal;
    });
    const app = createTestApp(served().release, undefined, {
      clients: { admitSearch, dropClaims: () => undefined } as never,
    });
    for (const path of ["summary?min_year=2000", "groups?by=year", "groups.csv?by=year"])
      expect((await app.request(`/v1/history/${path}`)).status).toBe(429);
    expect(admitSearch).toHaveBeenCalledTimes(3);
  });

  it("are noted in the search log by their own URL, except those of a whole funder; groups are not", async () => {
    const noted: AnsweredSearch[] = [];
    const app = createTestApp(served().release, undefined, {
      searchLog: { note: (search) => noted.push(search) },
    });
    for (const path of ["summary?purpose=support", "summary?funder_ein=131635294", "groups?by=type"])
      await app.request(`/v1/history/${path}`);
    expect(noted.map(({ request, path }) => [request.kind, request.filters, path])).toStrictEqual([
      ["totals", { purpose: "support" }, "search"],
    ]);
  });
});

describe("totals with a page file", () => {
  it("are read from it, and equal those that are added up", async () => {
    const { ask, release } = served();
    const requests = [...release.searches.keys()].flatMap((key) => parseTotalsKey(key) ?? []);
    expect(requests.length).toBeGreaterThan(5);
    for (const request of requests) {
      const answer = await ask(totalsHref(request));
      expect(answer.headers.get("Server-Timing")).toMatch(/^file;/);
      expect(await answer.text()).toBe((await release.search.findTotals(request.filters)).body.toString());
    }
  });

  it("are added up if it is missing; a damaged one is a 500", async () => {
    const { folder, release, app } = served();
    const expected = (await release.search.findTotals({ transactionYear: 2019 })).body.toString();
    const file = join(folder, parts.public, `${totalsKey("transaction_year=2019")}.gz`);
    const stored = await readFile(file);
    const ask = () => app.request("/v1/history/summary?transaction_year=2019");
    await writeFile(file, gzipSync("{}"));
    expect((await ask()).status).toBe(500);
    await rm(file);
    const answer = await ask();
    expect(answer.headers.get("Server-Timing")).toMatch(/^search;/);
    expect(await answer.text()).toBe(expected);
    await writeFile(file, stored);
  });
});

describe("groups", () => {
  it("of all pages are the list of a larger page, and their sums are those of all grants", async () => {
    const { askText } = served();
    for (const query of ["by=recipient&purpose=support", "by=funder", "by=type", "by=year&sort=records"]) {
      const read = async (page: string) => JSON.parse(await askText(`/v1/history/groups?${query}&${page}`));
      const all = await read("limit=1000");
      expect(all.total).toBeGreaterThan(1);
      const pages = [
        await read("limit=3"),
        await read("limit=3&offset=3"),
        await read("limit=1000&offset=6"),
      ];
      expect(pages.flatMap(({ data }) => data).slice(0, 1000)).toStrictEqual(all.data);
      const filters = query.includes("purpose") ? "?purpose=support" : "";
      const { records, amount } = await readTotals(`/v1/history/summary${filters}`);
      expect([all.records, all.amount]).toStrictEqual([records, amount]);
    }
  });

  it("past the end are none, with the true total", async () => {
    const { askText } = served();
    const text = await askText("/v1/history/groups?by=year&offset=9000");
    const { total, records, amount } = JSON.parse(await askText("/v1/history/groups?by=year"));
    expect(JSON.parse(text)).toStrictEqual({
      success: true,
      data: [],
      total,
      records,
      amount,
      limit: 100,
      offset: 9000,
    });
  });
});

describe("groups as CSV", () => {
  it.each(["funder", "recipient", "year", "type"])("by %s are the rows of the JSON", async (by) => {
    const { ask, askText } = served();
    const { data: groups } = JSON.parse(
      await askText(`/v1/history/groups?by=${by}&purpose=support&limit=1000`),
      (_, value, { source }) => (typeof value === "number" ? source : value),
    ) as { data: Record<string, string | null>[] };
    const data = groups.map(({ non_cash: _, ...others }) => others);
    const answer = await ask(`/v1/history/groups.csv?by=${by}&purpose=support`);
    expect(answer.headers.get("Content-Disposition")).toMatch(
      new RegExp(`^attachment; filename="grants-by-${by}-support-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
    );
    const [header, ...rows] = parse(await answer.text(), { record_delimiter: "\r\n" });
    expect(header).toStrictEqual(Object.keys(data[0] ?? {}));
    expect(rows.slice(0, 1000)).toStrictEqual(
      data.map((group) => Object.values(group).map((value) => value ?? "")),
    );
  });

  it("have names on request where they have EINs, and hyphens for a spreadsheet", async () => {
    const { askText } = served();
    const headerOf = async (query: string) =>
      (await askText(`/v1/history/groups.csv?${query}`)).split("\r\n")[0];
    expect(await headerOf("by=funder&names=1")).toBe("funder_ein,records,amount,funder_name");
    expect(await headerOf("by=recipient&names=1")).toBe(
      "recipient_ein,recipient_name,records,amount,recipient_organization_name",
    );
    expect(await headerOf("by=year&names=1")).toBe("transaction_year,records,amount");
    expect(await askText("/v1/history/groups.csv?by=funder&excel=1")).toMatch(
      /^funder_ein,records,amount\r\n\d\d-\d{7},/,
    );
  });

  it("leave no groups in a thread, whether they are sent, cancelled or only asked for their headers", async () => {
    const sent = vi.spyOn(Worker.prototype, "postMessage");
    const countDropped = () => sent.mock.calls.filter(([task]) => "dropped" in task).length;
    const ends: ((path: string) => Promise<unknown>)[] = [
      async (path) => (await served().app.request(path)).text(),
      async (path) => (await served().app.request(path)).body?.cancel(),
      (path) => served().app.request(path, { method: "HEAD" }),
    ];
    for (const end of ends) {
      const before = countDropped();
      await end("/v1/history/groups.csv?by=recipient");
      expect(await until(() => (countDropped() > before ? true : undefined))).toBe(true);
    }
    sent.mockRestore();
  });

  it("free their place when they are sent", async () => {
    const exports = new Exports({ running: 1, seconds: 60, minutes: 60, leastRate: 0 });
    const app = createTestApp(served().release, undefined, { exports });
    for (let round = 0; round < 3; round++) {
      const text = await (await app.request("/v1/history/groups.csv?by=recipient")).text();
      expect(text.split("\r\n").length).toBeGreaterThan(500);
      await until(() => (exports.places.taken === 0 ? true : undefined));
    }
  });
});
