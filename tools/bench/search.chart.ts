// Sums up the search benchmark in a chart: kinds of search against systems.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Chart, drawChart, themes } from "./chart.ts";
import { medianOf, type Timing } from "./rounds.ts";
import type { SearchResults } from "./search.tables.ts";
import { geometricMean } from "./statistics.ts";

/** Kinds of search in the chart, by the classes of requests that belong to each. */
const kinds: readonly (readonly [label: string, classes: RegExp])[] = [
  ["no filter", /^no filter$/],
  ["funder", /^funder$/],
  ["recipient", /^recipient$/],
  ["year, minimum amount", /^(year|minimum amount|year and amount)$/],
  ["words in the purpose", /^purpose: /],
  ["words in the name", /^name: /],
  ["several filters", /^(funder and|recipient and|text and|both|three|all)/],
  ["all requests", /./],
];

/** Geometric means of the requests' p50, by kind and system. */
export function chartOf({ cases, ours, peers }: Omit<SearchResults, "limit">, grants: number): Chart {
  const systems = [{ title: "this service", timings: ours.timings }, ...peers];
  const rows = kinds.flatMap(([label, classes]) => {
    const pick = (timings: readonly Timing[]) =>
      timings.filter((_, index) => classes.test(cases[index]?.group ?? ""));
    const times = systems.map(({ timings }) => geometricMean(pick(timings).map(medianOf)));
    return times.some(Number.isNaN) ? [] : [{ label, times }];
  });
  return {
    title: "Time of a search",
    subtitle: `Median, geometric mean by kind of search; ${cases.length} searches of ${grants.toLocaleString("en-US")} grants on 2 cores`,
    systems: systems.map(({ title }) => title),
    rows,
  };
}

/** Writes the chart in light and dark; returns the Markdown that shows the one for the reader's theme. */
export async function writeCharts(chart: Chart, folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [mode, theme] of Object.entries(themes))
    await writeFile(join(folder, `${name}-${mode}.svg`), drawChart(chart, theme));
  return `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="charts/${name}-dark.svg">
  <img alt="${chart.title}, by kind of search and system" src="charts/${name}-light.svg">
</picture>`;
}
