// Tests how often requests are sent and which times are kept, with a fake clock.
import { expect, test } from "vitest";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { measureRounds, medianOf } from "../../../tools/bench/rounds.ts";

const rounds = { warm: 2, measured: 5, limit: 1_000, budget: 100 };

const request = (offset: number): HistoryRequest => ({
  kind: "history",
  scope: "search",
  filters: {},
  limit: 1,
  offset,
});
const cases = [request(0), request(1), request(2)].map((sent) => ({ group: "all", request: sent }));

test("sends fast requests in every round; warm-up rounds do not count", async () => {
  let sent = 0;
  const timings = await measureRounds(
    cases,
    async ({ offset }) => ({ total: offset, ids: [], milliseconds: ++sent }),
    rounds,
  );
  expect(sent).toBe(21);
  expect(timings[1]?.times).toEqual([8, 11, 14, 17, 20]);
  expect(timings.map(({ answer }) => answer?.total)).toEqual([0, 1, 2]);
  expect(timings.map(medianOf)).toEqual([13, 14, 15]);
});

test("stops repeating a request over its budget but keeps a time", async () => {
  const sent: number[] = [];
  const timings = await measureRounds(
    cases,
    async ({ offset }) => {
      sent.push(offset);
      return { total: 1, ids: [7], milliseconds: [1, 40, 101][offset] ?? 0 };
    },
    rounds,
  );
  expect([0, 1, 2].map((offset) => sent.filter((one) => one === offset).length)).toEqual([7, 3, 1]);
  expect(timings.map(({ times }) => times)).toEqual([[1, 1, 1, 1, 1], [40], [101]]);
  expect(timings[2]?.answer).toEqual({ total: 1, ids: [7] });
});

test("counts an aborted request as the limit, without an answer, and does not repeat it", async () => {
  let sent = 0;
  const timings = await measureRounds(cases.slice(0, 1), async () => void sent++ as undefined, rounds);
  expect(sent).toBe(1);
  expect(timings).toEqual([{ times: [1_000], answer: undefined }]);
});
