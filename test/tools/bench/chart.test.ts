// Tests the chart of search times: a dot per time at its place, the same bytes for the same times, text escaped.
import { describe, expect, test } from "vitest";
import { drawChart, themes } from "../../../tools/bench/chart.ts";
import { chartOf } from "../../../tools/bench/search.chart.ts";

const chart = {
  title: "Times <of> searches & more",
  subtitle: "made up",
  systems: ["ours", "theirs"],
  rows: [
    { label: "fast", times: [1, 100] },
    { label: "slow", times: [10, 1000] },
  ],
};

const svg = drawChart(chart, themes.light);

/** The x of every dot of ours, in the order of the rows; the first one is the legend's. */
const ours = [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));

describe("a chart", () => {
  test("places times on a logarithmic scale", () => {
    const [, one = 0, ten = 0] = ours;
    const theirs = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="10"/g)].map(
      ([, x]) => Number(x) + 5,
    );
    const [, hundred = 0, thousand = 0] = theirs;
    expect(ten - one).toBeCloseTo((thousand - one) / 3, 0);
    expect(hundred - one).toBeCloseTo(((thousand - one) / 3) * 2, 0);
  });

  test("names every time in its description", () => {
    expect(svg).toContain("fast: ours 1.00 ms, theirs 100 ms; slow: ours 10.0 ms, theirs 1.00e+3 ms");
  });

  test("escapes text", () => {
    expect(svg).toContain("Times &lt;of> searches &amp; more");
    expect(svg).not.toContain("<of>");
  });

  test("is the same for the same times, and differs by theme in colors alone", () => {
    expect(drawChart(chart, themes.light)).toBe(svg);
    const withoutColors = (text: string) => text.replaceAll(/#[0-9a-f]{6}/g, "");
    expect(withoutColors(drawChart(chart, themes.dark))).toBe(withoutColors(svg));
    expect(drawChart(chart, themes.dark)).not.toBe(svg);
  });
});

describe("the chart of the search benchmark", () => {
  const timing = (time: number) => ({ times: [time], answer: undefined });
  const request = { kind: "history", scope: "search", filters: {}, limit: 100, offset: 0 } as const;
  const cases = ["no filter", "purpose: rare", "purpose: absent"].map((group) => ({ group, request }));

  test("has geometric means by kind and system, and omits kinds without requests", () => {
    const found = chartOf(
      {
        cases,
        ours: { timings: [timing(1), timing(2), timing(8)] },
        peers: [{ title: "Peer", timings: [timing(3), timing(4), timing(9)] }],
      },
      1_000,
    );
    expect(found.systems).toEqual(["this service", "Peer"]);
    expect(found.rows.map(({ label }) => label)).toEqual([
      "no filter",
      "words in the purpose",
      "all requests",
    ]);
    expect(found.rows[1]?.times[0]).toBeCloseTo(4);
    expect(found.rows[1]?.times[1]).toBeCloseTo(6);
  });
});
