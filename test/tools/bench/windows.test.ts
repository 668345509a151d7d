// Tests that windows lie within their histories.
import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseWindows } from "../../../tools/bench/windows.ts";

test("windows start at a record, at most 400,000 deep, half of them in the largest history", () => {
  const records = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(records, (counts) => {
      const funders = counts.map((count, index) => ({ ein: index + 1, first: 0, records: count }));
      const windows = chooseWindows(funders);
      const most = Math.max(...counts);
      expect(windows).toHaveLength(200);
      expect(
        windows.filter(({ request }) => counts[Number(request.filters.funderEin) - 1] === most).length,
      ).toBeGreaterThanOrEqual(100);
      for (const { request } of windows) {
        expect(request.offset).toBeLessThan(counts[Number(request.filters.funderEin) - 1] ?? 0);
        expect(request.offset).toBeLessThanOrEqual(400_000);
      }
    }),
  );
});

test("windows of a large history are spread over it and have no page file", () => {
  const windows = chooseWindows([{ ein: 1, first: 0, records: 1_000_000 }]).map(
    ({ request }) => request.offset,
  );
  expect(Math.min(...windows)).toBeLessThan(20_000);
  expect(Math.max(...windows)).toBeGreaterThan(380_000);
  expect(new Set(windows).size).toBeGreaterThan(190);
  expect(windows.filter((offset) => offset % 100 === 0)).toEqual([]);
});
