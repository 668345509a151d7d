// Tests the tables of search results: medians, ratios, marks of aborted requests, differing answers.
import { describe, expect, test } from "vitest";
import type { Filters } from "../../../api-static/contract/filters.ts";
import type { Timing } from "../../../tools/bench/rounds.ts";
import {
  findDifferences,
  formatClasses,
  formatOwn,
  formatRequests,
  formatTime,
  formatWhole,
} from "../../../tools/bench/search.tables.ts";
import type { Case } from "../../../tools/bench/suite.ts";

const ask = (group: string, filters: Filters): Case => ({
  group,
  request: { kind: "history", scope: "search", filters, limit: 100, offset: 0 },
});
const cases = [ask("a", {}), ask("a", { purpose: "x|y" }), ask("b", { transactionYear: 2020 })];

const timing = (times: number[], ids: number[] = [1, 2]): Timing => ({
  times,
  answer: { total: 2_000, ids },
});
const givenUp: Timing = { times: [10_000], answer: undefined };

const results = {
  cases,
  ours: { timings: [timing([1, 2, 3]), timing([4, 4, 4]), timing([10, 10, 100])] },
  peers: [
    { title: "Slow", timings: [timing([20]), givenUp, givenUp] },
    { title: "Fast", timings: [timing([1]), timing([2]), timing([5])] },
  ],
  limit: 10_000,
};

describe("classes", () => {
  const lines = formatClasses(results).split("\n");

  test("a class shows the median of its requests' p50s, the worst of them, our p99, and our time over the fastest peer's", () => {
    expect(lines[1]).toBe("a,2,3.00,4.00,4.00,5010 †,1.50,2.00");
    expect(lines[2]).toBe("b,1,10.0,10.0,100,> 10000,5.00,2.00");
  });

  test("the whole suite shows geometric means, and each as a multiple of ours", () => {
    const own = (2 * 4 * 10) ** (1 / 3);
    const whole = formatWhole(results);
    expect(whole).toContain(`| ${own.toFixed(2)} | 1,260 | 2.15 |`);
    expect(whole).toContain("| times ours | 1 | 292 | 0.50 |");
  });

  test("without peers there are no ratios", () => {
    expect(formatClasses({ ...results, peers: [] })).toContain("a,2,3.00,4.00,4.00,–\n");
  });
});

test("requests that only we answer are listed by class", () => {
  const own = ["totals", "totals", "groups by year"].map((group, index) => ({ group, request: `/${index}` }));
  const table = formatOwn(own, [timing([10]), timing([30]), timing([5])]);
  expect(table).toContain("totals,2,20.0,30.0\n");
  expect(table).toContain("groups by year,1,5.00,5.00\n");
});

test("every request is listed with its class and its total", () => {
  expect(formatRequests(results)).toContain(
    "a,/v1/history?purpose=x%7Cy&limit=100&offset=0,2000,4.00,> 10000,2.00\n",
  );
});

describe("differences", () => {
  test("ignore equal answers and aborted requests", () => {
    expect(findDifferences(results)).toEqual([]);
  });

  test("list another total, another id and another order", () => {
    const answers = [
      { times: [1], answer: { total: 3, ids: [1, 2] } },
      timing([1], [1]),
      timing([1], [2, 1]),
    ];
    expect(findDifferences({ ...results, peers: [{ title: "Wrong", timings: answers }] })).toEqual([
      "Wrong: /v1/history?limit=100&offset=0 has the total 3, ours is 2000",
      "Wrong: /v1/history?purpose=x%7Cy&limit=100&offset=0 has other ids than ours",
      "Wrong: /v1/history?transaction_year=2020&limit=100&offset=0 has other ids than ours",
    ]);
  });
});

test("times have three significant digits", () => {
  expect([0.123, 1.234, 12.34, 123.4, 1_234.5].map(formatTime)).toEqual([
    "0.12",
    "1.23",
    "12.3",
    "123",
    "1,235",
  ]);
});
