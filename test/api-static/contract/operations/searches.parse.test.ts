// Tests which texts are page keys, and the request that the page of a key answers.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../../api-static/contract/ein.ts";
import { offsetMax } from "../../../../api-static/contract/limits.ts";
import type { HistoryRequest } from "../../../../api-static/contract/operations/searches.ts";
import { pageKey, parsePageKey } from "../../../../api-static/contract/operations/searches.ts";
import { funderPageKey } from "../../../../api-static/contract/plainPages.ts";
import { noise, pageRequest, searchPageRequest } from "../arbitraries.ts";

const funderEin = formatEin(131_635_294);
const page: HistoryRequest = {
  kind: "history",
  scope: "funder",
  filters: { funderEin },
  limit: 100,
  offset: 0,
};

describe("parsePageKey", () => {
  it("parses every key to the request it answers", () => {
    fc.assert(
      fc.property(pageRequest, (request) => {
        expect(parsePageKey(String(pageKey(request)))).toStrictEqual(request);
      }),
      { numRuns: 500 },
    );
  });

  it("parses the keys that the pipeline writes", () => {
    expect(parsePageKey(funderPageKey(funderEin, 100, 0))).toStrictEqual(page);
    expect(parsePageKey(funderPageKey(funderEin, 1000, offsetMax))).toStrictEqual({
      ...page,
      limit: 1000,
      offset: offsetMax,
    });
  });

  it("parses the keys of searches, the one without filters too", () => {
    const search = { kind: "history", scope: "search", limit: 1000, offset: 3000 };
    expect(parsePageKey("v1/history/all/1000-3000.json")).toStrictEqual({ ...search, filters: {} });
    expect(parsePageKey(`v1/history/purpose=${"a".repeat(192)}/1000-3000.json`)).toStrictEqual({
      ...search,
      filters: { purpose: "a".repeat(192) },
    });
  });

  it.each([
    "",
    "v1/funders/131635294/history",
    "v1/funders/131635294/history/",
    "/v1/funders/131635294/history-100-0.json",
    "v1/funders/131635294/history-100-0.json.gz",
    "v1/funders/131635294/history-100-0.JSON",
    "v1/funders/131635294/history-100-0.json\n",
    "v1/funders/131635294/history-100-0xjson",
    "v1/funders/131635294/history-0100-0.json",
    "v1/funders/131635294/history-100-00.json",
    "v1/funders/131635294/history-100-0100.json",
    "v1/funders/131635294/history-100--100.json",
    "v1/funders/131635294/history-100-1e2.json",
    "v1/funders/131635294/history-100-100.0.json",
    "v1/funders/131635294/history-100-.json",
    "v1/funders/131635294/history--0.json",
    "v1/funders/131635294/history/100-0.json",
    "v1/funders/131635294/history100-0.json",
    "v1/history/all-100-0.json",
    "v1/history-100-0.json",
    "v1/funders/131635294/history-100-50.json",
    "v1/funders/131635294/history-1000-100.json",
    "v1/funders/131635294/history-1-0.json",
    "v1/funders/131635294/history-0-0.json",
    "v1/funders/131635294/history-200-200.json",
    "v1/funders/131635294/history-10000-0.json",
    "v1/funders/131635294/history-100-1000000100.json",
    "v1/funders/131635294/history-1000-1000001000.json",
    "v1/funders/131635294/history-100-9999999900.json",
    "v1/funders/131635294/history-100-99999999900.json",
    "v1/funders/13-1635294/history-100-0.json",
    "v1/funders/13163529/history-100-0.json",
    "v1/funders/1316352940/history-100-0.json",
    "v1/funders/١٣١٦٣٥٢٩٤/history-100-0.json",
    "v1/funders/../history-100-0.json",
    "v1/funders/131635294/../131635294/history-100-0.json",
    "../v1/funders/131635294/history-100-0.json",
    "v1/funders//131635294/history-100-0.json",
    "v1\\funders\\131635294\\history-100-0.json",
    "v1/history/100-0.json",
    "v1/history//100-0.json",
    "v1/history/../100-0.json",
    "v1/history/all/../../100-0.json",
    "v1/history/All/100-0.json",
    "v1/history/all/100-50.json",
    "v1/history/all/100-0.json.gz",
    "v1/history/all&transaction_year=2023/100-0.json",
    "v1/history/transaction_year=23/100-0.json",
    "v1/history/transaction_year=2023&limit=100/100-0.json",
    "v1/history/limit=100&offset=0/100-0.json",
    "v1/history/purpose=Food/100-0.json",
    "v1/history/purpose=food%20bank/100-0.json",
    "v1/history/purpose=food bank/100-0.json",
    "v1/history/purpose=caf\u00e9/100-0.json",
    "v1/history/purpose=caf%c3%a9/100-0.json",
    "v1/history/min_amount=10000/100-0.json",
    "v1/history/min_amount=1.00&purpose=food/100-0.json",
    "v1/history/purpose=a&purpose=b/100-0.json",
    "v1/history/sort=amount/100-0.json",
    "v1/history/min_year=2021&transaction_year=2021/100-0.json",
    "v1/history/transaction_year=2021&min_year=2021/100-0.json",
    "v1/history/min_year=2021&max_year=2020/100-0.json",
    "v1/history/max_amount=1.00&min_amount=1.00/100-0.json",
    "v1/history/type=A/100-0.json",
    "v1/history/recipient_ein=131635294,530196605/100-0.json",
    "v1/history/recipient_ein=530196605%2C131635294/100-0.json",
    "v1/history/recipient_ein=131635294%2C131635294/100-0.json",
    "v1/history/all/summary.json",
    "v1/history/funder_ein=131635294/100-0.json",
    "v1/history/?purpose=food/100-0.json",
    `v1/history/purpose=${"a".repeat(193)}/100-0.json`,
    "v2/funders/131635294/history-100-0.json",
    "V1/funders/131635294/history-100-0.json",
    "v1/funders/131635294/history-100-0.json\0",
  ])("refuses %j", (text) => {
    expect(parsePageKey(text)).toBeUndefined();
  });

  it("rejects noise", () => {
    fc.assert(
      fc.property(noise, noise, (before, after) => {
        expect(parsePageKey(before)).toBeUndefined();
        for (const key of ["v1/funders/131635294/history-100-0.json", "v1/history/all/100-0.json"])
          if (before + after !== "") expect(parsePageKey(before + key + after)).toBeUndefined();
        const inside = parsePageKey(`v1/history/${before}${after}/100-0.json`);
        if (inside !== undefined) expect(pageKey(inside)).toBe(`v1/history/${before}${after}/100-0.json`);
      }),
    );
  });

  it("rejects a key with a changed, inserted or missing letter, unless it is the key of another page", () => {
    const letter = fc.constantFrom(..."0123456789-./v1xe =&%+A");
    const anyPage = fc.oneof(pageRequest, searchPageRequest);
    fc.assert(
      fc.property(anyPage, fc.nat(60), fc.nat(1), letter, (request, place, removed, letter) => {
        const key = pageKey(request) ?? "v1/history/all/100-0.json";
        const at = place % key.length;
        const changed = key.slice(0, at) + letter + key.slice(at + removed);
        const left = key.slice(0, at) + key.slice(at + 1);
        for (const text of [changed, left]) {
          const read = parsePageKey(text);
          if (read !== undefined) expect(pageKey(read)).toBe(text);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
