// Tests page keys and URLs: which requests have them, and that both directions agree.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../../api-static/contract/ein.ts";
import { searchNameMax } from "../../../../api-static/contract/limits.ts";
import type { HistoryRequest, TotalsRequest } from "../../../../api-static/contract/operations/searches.ts";
import {
  hasFunderPage,
  href,
  isWholeFunder,
  keyPath,
  pageKey,
  pageSizesOf,
  parsePageKey,
  parseTotalsKey,
  searchName,
  totalsHref,
  totalsKeyOf,
} from "../../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../../api-static/contract/request.ts";
import { historyRequest, pageRequest, searchPageRequest, totalsRequest } from "../arbitraries.ts";

const funderEin = formatEin(131_635_294);

function ask(url: string): HistoryRequest {
  const [path = "", query = ""] = url.split("?");
  const request = parseRequest(path, query);
  if (request.kind !== "history") throw new Error(`${url} is not a history request`);
  return request;
}

function askTotals(url: string): TotalsRequest {
  const [path = "", query = ""] = url.split("?");
  const request = parseRequest(path, query);
  if (request.kind !== "totals") throw new Error(`${url} is not a request for totals`);
  return request;
}

describe("pageSizesOf and hasFunderPage", () => {
  it.each([
    [0, [100], []],
    [1, [100], ["100-0"]],
    [100, [100], ["100-0"]],
    [101, [100, 1000], ["100-0", "100-100", "1000-0"]],
    [200, [100, 1000], ["100-0", "100-100", "1000-0"]],
    [
      1001,
      [100, 1000],
      [...Array.from({ length: 11 }, (_none, index) => `100-${index * 100}`), "1000-0", "1000-1000"],
    ],
  ])("of %d records has the page sizes %j and the pages %j", (total, sizes, pages) => {
    expect(pageSizesOf(total)).toStrictEqual(sizes);
    const windows = [1, 99, 100, 200, 1000, 2000].flatMap((limit) =>
      Array.from({ length: 40 }, (_none, index) => ({ limit, offset: index * 50 })),
    );
    const found = windows.filter((window) => hasFunderPage(total, window));
    expect(found.map(({ limit, offset }) => `${limit}-${offset}`)).toStrictEqual(pages);
  });
});

describe("pageKey", () => {
  it.each([
    ["/v1/funders/131635294/history", "v1/funders/131635294/history-100-0.json"],
    ["/v1/funders/131635294/history?limit=100&offset=200", "v1/funders/131635294/history-100-200.json"],
    ["/v1/funders/131635294/history?limit=1000", "v1/funders/131635294/history-1000-0.json"],
    ["/v1/funders/131635294/history?limit=1000&offset=5000", "v1/funders/131635294/history-1000-5000.json"],
    ["/v1/funders/131635294/history?offset=1000000000", "v1/funders/131635294/history-100-1000000000.json"],
    ["/v1/funders/010211513/history", "v1/funders/010211513/history-100-0.json"],
    ["/v1/history?funder_ein=01-0211513", "v1/funders/010211513/history-100-0.json"],
    ["/v1/history", "v1/history/all/100-0.json"],
    ["/v1/history?offset=3000&limit=1000", "v1/history/all/1000-3000.json"],
    ["/v1/history?transaction_year=2023", "v1/history/transaction_year=2023/100-0.json"],
    [
      "/v1/history?min_amount=10000&purpose=+Education%20SUPPORT&offset=100",
      "v1/history/purpose=education+support&min_amount=10000.00/100-100.json",
    ],
    ["/v1/history?purpose=all", "v1/history/purpose=all/100-0.json"],
    ["/v1/history?purpose=..%2F..%2Fetc", "v1/history/purpose=..%2F..%2Fetc/100-0.json"],
    ["/v1/history?recipient_name=Caf%C3%A9", "v1/history/recipient_name=caf%C3%A9/100-0.json"],
    [
      "/v1/funders/131635294/history?transaction_year=2023",
      "v1/history/funder_ein=131635294&transaction_year=2023/100-0.json",
    ],
    [
      "/v1/history?max_amount=5&min_amount=1&recipient_state=ny&funder_state=Ca&type=Schedule+I&max_year=2020&min_year=2018",
      "v1/history/min_year=2018&max_year=2020&type=schedule+i&funder_state=CA&recipient_state=NY&min_amount=1.00&max_amount=5.00/100-0.json",
    ],
    [
      "/v1/history?recipient_ein=530196605,13-1635294&funder_ein=131635294,131635294&type=x",
      "v1/history/funder_ein=131635294&recipient_ein=131635294%2C530196605&type=x/100-0.json",
    ],
    ["/v1/history?sort=year", "v1/history/all/100-0.json"],
    [`/v1/history?purpose=${"a".repeat(192)}`, `v1/history/purpose=${"a".repeat(192)}/100-0.json`],
  ])("of %s is %s", (url, key) => {
    expect(pageKey(ask(url))).toBe(key);
  });

  it.each([
    "/v1/history?limit=99",
    "/v1/history?sort=amount",
    "/v1/funders/131635294/history?sort=amount&limit=1000",
    "/v1/history?transaction_year=2023&offset=50",
    `/v1/history?purpose=${"a".repeat(193)}`,
    `/v1/history?purpose=${"%C3%A9".repeat(33)}`,
    "/v1/funders/131635294/history?offset=1",
    "/v1/funders/131635294/history?offset=99",
    "/v1/funders/131635294/history?limit=1000&offset=100",
    "/v1/funders/131635294/history?limit=1000&offset=999",
    "/v1/funders/131635294/history?limit=1",
    "/v1/funders/131635294/history?limit=99",
    "/v1/funders/131635294/history?limit=101",
    "/v1/funders/131635294/history?limit=999",
    "/v1/funders/131635294/history?limit=200&offset=200",
  ])("of %s is undefined", (url) => {
    expect(pageKey(ask(url))).toBeUndefined();
  });

  it("of a search for one funder is the key of the funder's page", () => {
    fc.assert(
      fc.property(pageRequest, (request) => {
        const search = pageKey({ ...request, scope: "search" });
        expect(search).toBe(pageKey(request));
        expect(search).toMatch(/^v1\/funders\/[0-9]{9}\/history-1000?-[0-9]+\.json$/);
      }),
    );
  });

  it("of any request is undefined, or parses to the same page", () => {
    fc.assert(
      fc.property(fc.oneof(historyRequest, pageRequest), (request) => {
        const key = pageKey(request);
        const scope = isWholeFunder(request.filters) ? "funder" : "search";
        if (key !== undefined) expect(parsePageKey(key)).toStrictEqual({ ...request, scope });
      }),
      { numRuns: 500 },
    );
  });

  it("of a search is a path of four plain names, short enough for a file system, for every short search", () => {
    let keys = 0;
    fc.assert(
      fc.property(searchPageRequest, (request) => {
        const key = pageKey(request);
        const filters = href(request)
          .replace(/^[^?]*\?/, "")
          .replace(/&?limit=\d+&offset=\d+$/, "");
        expect(key !== undefined).toBe(filters.length <= searchNameMax);
        if (key === undefined) return;
        keys += 1;
        expect(key).toBe(`v1/history/${filters || "all"}/${request.limit}-${request.offset}.json`);
        expect(key).toMatch(/^v1\/history\/(all|[a-z_]+=[A-Za-z0-9*._+%=&-]+)\/1000?-\d{1,10}\.json$/);
        for (const name of key.split("/")) expect(Buffer.byteLength(name)).toBeLessThan(250);
        // Two names that differ only in case would be one name on some file systems.
        const lower = key.replaceAll(/%[0-9A-F]{2}|(?<=_state=)[A-Z]{2}/g, ""); // states have no small letters
        expect(lower).toBe(lower.toLowerCase());
      }),
      { numRuns: 800 },
    );
    expect(keys).toBeGreaterThan(100);
  });
});

describe("totalsKeyOf", () => {
  it.each([
    ["/v1/history/summary", "v1/history/all/summary.json"],
    ["/v1/history/summary?transaction_year=2023", "v1/history/transaction_year=2023/summary.json"],
    ["/v1/history/summary?type=A+b&min_year=2020", "v1/history/min_year=2020&type=a+b/summary.json"],
    [
      "/v1/funders/131635294/history/summary?purpose=X",
      "v1/history/funder_ein=131635294&purpose=x/summary.json",
    ],
    ["/v1/funders/131635294/history/summary", undefined],
    ["/v1/history/summary?funder_ein=131635294", undefined],
    ["/v1/history/summary?purpose=food+bank&match=words", undefined],
    [`/v1/history/summary?purpose=${"a".repeat(193)}`, undefined],
  ])("of %s is %s", (url, key) => expect(totalsKeyOf(askTotals(url))).toBe(key));

  it("parses to the same totals, for any request that has a key", () => {
    let keys = 0;
    fc.assert(
      fc.property(totalsRequest, (request) => {
        const key = totalsKeyOf(request);
        if (key === undefined) return;
        keys += 1;
        expect(parseTotalsKey(key)).toStrictEqual({ ...request, scope: "search" });
        expect(parsePageKey(key)).toBeUndefined();
        const { pathname } = new URL(keyPath(key), "http://127.0.0.1");
        expect(decodeURIComponent(pathname)).toBe(`/${key}`);
      }),
      { numRuns: 800 },
    );
    expect(keys).toBeGreaterThan(100);
  });

  it.each([
    "v1/history/summary.json",
    "v1/history//summary.json",
    "/v1/history/all/summary.json",
    "v1/history/all/summary.json.gz",
    "v1/history/all/summary.json\n",
    "v1/history/all/summary",
    "v1/history/All/summary.json",
    "v1/history/limit=100/summary.json",
    "v1/history/sort=amount/summary.json",
    "v1/history/by=year/summary.json",
    "v1/history/funder_ein=131635294/summary.json",
    "v1/history/min_year=2020&transaction_year=2020/summary.json",
    "v1/history/min_amount=2.00&max_amount=1.00/summary.json",
    "v1/history/recipient_ein=530196605%2C131635294/summary.json",
    "v1/history/recipient_ein=131635294,530196605/summary.json",
    "v1/history/type=A/summary.json",
    "v1/funders/131635294/history/summary.json",
    "v1/history/../summary.json",
  ])("is never %j, which does not parse", (text) => expect(parseTotalsKey(text)).toBeUndefined());
});

describe("totalsHref", () => {
  it("has the filters in the contract's order, under the path of the scope", () => {
    const query = "max_amount=2&type=B&min_amount=1&recipient_ein=530196605,010211513&max_year=2020";
    const filters =
      "recipient_ein=010211513%2C530196605&max_year=2020&type=b&min_amount=1.00&max_amount=2.00";
    const request = askTotals(`/v1/funders/131635294/history/summary?${query}`);
    expect(totalsHref(request)).toBe(`/v1/funders/131635294/history/summary?${filters}`);
    expect(totalsHref({ ...request, scope: "search" })).toBe(
      `/v1/history/summary?funder_ein=131635294&${filters}`,
    );
    expect(totalsHref({ kind: "totals", scope: "search", filters: {} })).toBe("/v1/history/summary");
  });
});

describe("searchName", () => {
  it("is undefined for a whole funder, which has no folder of searches", () => {
    expect(searchName({ funderEin })).toBeUndefined();
    expect(searchName({ funderEin, transactionYear: 2023 })).toBe(
      "funder_ein=131635294&transaction_year=2023",
    );
    expect(searchName({})).toBe("all");
  });
});

describe("keyPath", () => {
  it("is a URL path that a host decodes to the key", () => {
    fc.assert(
      fc.property(fc.oneof(searchPageRequest, pageRequest), (request) => {
        const key = pageKey(request) ?? "v1/history/all/100-0.json";
        const { pathname, search, hash } = new URL(keyPath(key), "http://127.0.0.1");
        expect({ search, hash }).toEqual({ search: "", hash: "" });
        expect(decodeURIComponent(pathname)).toBe(`/${key}`);
      }),
    );
  });
});

describe("href", () => {
  it("has the filters in the contract's order, then limit and offset, even if they are the defaults", () => {
    const query =
      "offset=14&min_amount=-1234.5&recipient_name=Food+Bank&purpose=50%25&transaction_year=0987&recipient_ein=53-0196605";
    const filters =
      "recipient_ein=530196605&transaction_year=0987&purpose=50%25&recipient_name=food+bank&min_amount=-1234.50";
    expect(href(ask(`/v1/history?${query}&funder_ein=13-1635294`))).toBe(
      `/v1/history?funder_ein=131635294&${filters}&limit=100&offset=14`,
    );
    expect(href(ask(`/v1/funders/131635294/history?${query}`))).toBe(
      `/v1/funders/131635294/history?${filters}&limit=100&offset=14`,
    );
  });

  it.each([
    ["0", "0.00"],
    ["-0", "0.00"],
    ["0.01", "0.01"],
    ["-0.01", "-0.01"],
    ["-0.1", "-0.10"],
    ["7", "7.00"],
    ["9999999999999999.99", "9999999999999999.99"],
    ["99999999999999999999", "10000000000000000.00"],
  ])("writes the amount %s as %s", (given, written) => {
    expect(href(ask(`/v1/history?min_amount=${given}`))).toBe(
      `/v1/history?min_amount=${written}&limit=100&offset=0`,
    );
  });
});
