// Tests that the pages of plain URLs are those that the parser finds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  pageKey,
  parsePageKey,
  parseTotalsKey,
  totalsKeyOf,
} from "../../../api-static/contract/operations/searches.ts";
import { findPlainPage } from "../../../api-static/contract/plainPages.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { proofs } from "../../proofs.ts";

const ein = "131635294";

describe("the page of a plain URL", () => {
  it.each([
    [`/v1/funders/${ein}/history`, "", `v1/funders/${ein}/history-100-0.json`],
    [`/v1/funders/${ein}/history`, "offset=1000&limit=1000", `v1/funders/${ein}/history-1000-1000.json`],
    ["/v1/history", "", "v1/history/all/100-0.json"],
    ["/v1/history", "offset=0", "v1/history/all/100-0.json"],
    ["/v1/history", "purpose=Food%20bank", "v1/history/purpose=food+bank/100-0.json"],
    [
      "/v1/history",
      "min_amount=10000&transaction_year=2021",
      "v1/history/transaction_year=2021&min_amount=10000.00/100-0.json",
    ],
    ["/v1/history", "min_amount=0.5", "v1/history/min_amount=0.50/100-0.json"],
    ["/v1/history/summary", "", "v1/history/all/summary.json"],
    [
      "/v1/history/summary",
      "purpose=Food%20bank&transaction_year=2021",
      "v1/history/transaction_year=2021&purpose=food+bank/summary.json",
    ],
  ])("%s?%s is %s", (path, query, key) => expect(findPlainPage(path, query)).toBe(key));

  it.each([
    [`/v1/funders/${ein}/history`, "limit=50"],
    [`/v1/funders/${ein}/history`, "offset=50"],
    [`/v1/funders/${ein}/history`, "limit=100&limit=100"],
    [`/v1/funders/${ein}/history`, "limit=0100"],
    [`/v1/funders/${ein}/history`, `funder_ein=${ein}`],
    [`/v1/funders/${ein}/history`, "purpose=music"],
    ["/v1/history", `funder_ein=${ein}`], // 200 if the funder has no grants, but the key's own URL is 404
    ["/v1/history", "purpose=caf%C3%A9"],
    ["/v1/history", "purpose=+music"],
    ["/v1/history", `purpose=${"a".repeat(200)}`],
    ["/v1/history", "offset=1000000100"],
    ["/v1/history", "min_amount=-5"],
    ["/v1/history", "constructor=5"],
    ["/v1/history", "limit"],
    ["/v1/history", "sort=amount"],
    ["/v1/history", "transaction_year=2021&min_year=2021"],
    ["/v1/history", `recipient_ein=${ein},530196605`],
    ["/v1/history/summary", "limit=100"],
    ["/v1/history/summary", `funder_ein=${ein}`],
    ["/v1/history/summary", `purpose=${"a".repeat(200)}`],
    [`/v1/funders/${ein}/history/summary`, ""],
    ["/v1/history/groups", ""],
    ["/v1/history/", ""],
    ["/v1/history.csv", ""],
  ])("%s?%s has none, or is not plain", (path, query) => expect(findPlainPage(path, query)).toBeUndefined());

  it("has the parser's page for any query, and the page's own URL means the same", () => {
    const values = [
      "100",
      "1000",
      "0",
      "200",
      "0100",
      "2021",
      ein,
      "10000.5",
      "Food bank",
      "+a",
      "é",
      "",
      "-5",
      "1e3",
    ];
    const names = ["limit", "offset", "funder_ein", "recipient_ein", "transaction_year", "purpose"];
    const pair = fc.record({
      name: fc.constantFrom(
        ...[...names, "recipient_name", "min_amount"],
        ...["min_year", "max_amount", "type", "sort", "Limit", "toString"],
      ),
      value: fc.oneof(
        fc.constantFrom(...values),
        fc.nat({ max: 3_000 }).map(String),
        fc.string({ maxLength: 4 }),
      ),
      isPlus: fc.boolean(),
    });
    const query = fc.array(pair, { maxLength: 4 }).map((pairs) =>
      pairs
        .map(({ name, value, isPlus }) => {
          const encoded = encodeURIComponent(value);
          return `${name}=${isPlus ? encoded.replaceAll("%20", "+") : encoded}`;
        })
        .join("&"),
    );
    const path = fc.constantFrom(
      "/v1/history",
      "/v1/history/summary",
      `/v1/funders/${ein}/history`,
      "/v1/funders/13-1635294/history",
    );
    let found = 0;
    const kinds = new Set<string>();
    fc.assert(
      fc.property(path, query, (path, query) => {
        const key = findPlainPage(path, query);
        if (key === undefined) return;
        found += 1;
        const request = parseRequest(path, query);
        kinds.add(request.kind);
        if (request.kind === "totals") {
          expect(totalsKeyOf(request)).toBe(key);
          expect(parseTotalsKey(key)).toStrictEqual(request);
        }
        if (request.kind !== "history") return;
        expect(pageKey(request)).toBe(key);
        expect(parsePageKey(key)).toStrictEqual(request);
      }),
      { numRuns: proofs.anyPlainQueries, seed: 20261122 },
    );
    expect([...kinds].sort()).toStrictEqual(["history", "totals"]);
    expect(found).toBeGreaterThan(proofs.anyPlainQueries / 20);
  });
});
