// Proves how often requests are asked and what is kept of them, with a clock that the test turns.
import { expect, test } from "vitest";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import { measureRounds, middleOf } from "./rounds.ts";

const rounds = { warm: 2, measured: 5, limit: 1_000, budget: 100 };

const request = (offset: number): HistoryRequest => ({
  kind: "history",
  scope: "search",
  filters: {},
  limit: 1,
  offset,
});
const cases = [request(0), request(1), request(2)].map((asked) => ({ group: "all", request: asked }));

test("fast requests are asked in every round, and the rounds to warm up do not count", async () => {
  let asked = 0;
  const timings = await measureRounds(
    cases,
    async ({ offset }) => ({ total: offset, ids: [], milliseconds: ++asked }),
    rounds,
  );
  expect(asked).toBe(21);
  expect(timings[1]?.times).toEqual([8, 11, 14, 17, 20]);
  expect(timings.map(({ answer }) => answer?.total)).toEqual([0, 1, 2]);
  expect(timings.map(middleOf)).toEqual([13, 14, 15]);
});

test("a request over its budget is asked no more and keeps a time", async () => {
  const asked: number[] = [];
  const timings = await measureRounds(
    cases,
    async ({ offset }) => {
      asked.push(offset);
      return { total: 1, ids: [7], milliseconds: [1, 40, 101][offset] ?? 0 };
    },
    rounds,
  );
  expect([0, 1, 2].map((offset) => asked.filter((one) => one === offset).length)).toEqual([7, 3, 1]);
  expect(timings.map(({ times }) => times)).toEqual([[1, 1, 1, 1, 1], [40], [101]]);
  expect(timings[2]?.answer).toEqual({ total: 1, ids: [7] });
});

test("a request that is given up counts as the limit, without an answer, and is not asked again", async () => {
  let asked = 0;
  const timings = await measureRounds(cases.slice(0, 1), async () => void asked++ as undefined, rounds);
  expect(asked).toBe(1);
  expect(timings).toEqual([{ times: [1_000], answer: undefined }]);
});
