// Tests the words of the Status page.
import { describe, expect, it } from "vitest";
import { nullableFields } from "../../../api-static/contract/answers/record.ts";
import { rejectReasons, syncResults } from "../../../api-static/contract/answers/report.ts";
import {
  compareCount,
  compareFunders,
  fieldNames,
  formatAge,
  formatDuration,
  formatTook,
  rank,
  reasonNames,
  resultNames,
  wrongAtMost,
} from "../../../site/src/status/phrases.ts";
import { formatFineShare, formatSum } from "../../../site/src/text/numbers.ts";

describe("ages and durations", () => {
  it.each([
    [0, "less than a minute", "less than a minute"],
    [59, "less than a minute", "less than a minute"],
    [60, "1 minute", "1 minute"],
    [3_599, "59 minutes", "59 minutes"],
    [3_600, "1 hour", "1 hour"],
    [12_480, "3 hours", "3 hours 28 minutes"],
    [86_400, "1 day", "1 day"],
    [180_000, "2 days", "2 days 2 hours"],
  ])("of %d seconds", (seconds, age, duration) => {
    expect([formatAge(seconds), formatDuration(seconds)]).toStrictEqual([age, duration]);
  });

  it.each([
    [0, "0.0 s"],
    [13.3, "13.3 s"],
    [60, "1 min 0 s"],
    [125.4, "2 min 5 s"],
    [3_840, "1 h 4 min"],
  ])("a sync of %d seconds took %s", (seconds, text) => {
    expect(formatTook(seconds)).toBe(text);
  });
});

describe("comparisons with the release before", () => {
  const since = "20261119T040000Z";
  const same = { since, funders_added: 0, funders_removed: 0, funders_changed: 0 };

  it("count the difference, or note that nothing can be compared", () => {
    expect(compareCount(1_118, since)).toBe("1,118 more than in the last release");
    expect(compareCount(-1, since)).toBe("1 fewer than in the last release");
    expect(compareCount(0, since)).toBe("unchanged since the last release");
    expect(compareCount(8_915, null)).toBe("no earlier release to compare");
  });

  it("count the funders that differ", () => {
    expect(compareFunders(same)).toBe("unchanged");
    expect(compareFunders({ ...same, funders_added: 3, funders_changed: 41 })).toBe("3 added, 41 changed");
    expect(compareFunders({ ...same, funders_removed: 1 })).toBe("1 removed");
    expect(compareFunders({ ...same, since: null })).toBe("no earlier release to compare");
  });
});

describe("rank", () => {
  it("sorts by count, and keeps the order of equal ones", () => {
    expect(rank({ a: 0, b: 7, c: 0 }, { a: "A", b: "B", c: "C" })).toStrictEqual([
      { name: "B", count: 7 },
      { name: "A", count: 0 },
      { name: "C", count: 0 },
    ]);
  });
});

describe("the names", () => {
  it("are complete", () => {
    expect(Object.keys(reasonNames).sort()).toStrictEqual([...rejectReasons].sort());
    expect(Object.keys(fieldNames).sort()).toStrictEqual([...nullableFields].sort());
    expect(Object.keys(resultNames).sort()).toStrictEqual([...syncResults].sort());
  });
});

describe("shares and sums", () => {
  it("show a small share as more than nothing", () => {
    expect([0, 0.00001, 0.0057, 1].map((share) => formatFineShare(share, 2))).toStrictEqual([
      "0%",
      "<0.01%",
      "0.57%",
      "100.00%",
    ]);
    expect([0, 0.0001, 0.9224].map((share) => formatFineShare(share, 1))).toStrictEqual([
      "0%",
      "<0.1%",
      "92.2%",
    ]);
  });

  it("are exact beyond 2^53", () => {
    expect(formatSum("90071992547409931.25")).toBe("$90,071,992,547,409,931.25");
    expect(formatSum("-1.50")).toBe("−$1.50");
  });

  it("are rounded up where they say how many matches are wrong at most", () => {
    expect([1, 0.999, 0.9936, 0.99].map(wrongAtMost)).toStrictEqual([0, 1, 7, 10]);
  });
});
