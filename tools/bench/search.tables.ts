// Formats the search results: the whole suite by system, CSV of classes and requests, and answers that differ.
import { href } from "../../api-static/contract/operations/searches.ts";
import type { OwnCase } from "./ownSuite.ts";
import { medianOf, type Timing } from "./rounds.ts";
import { geometricMean, median, percentile } from "./statistics.ts";
import type { Case } from "./suite.ts";
import type { OurResults, PeerResults } from "./systems.ts";
import { formatCsv, formatTable } from "./table.ts";

export type SearchResults = {
  readonly cases: readonly Case[];
  readonly ours: Pick<OurResults, "timings">;
  readonly peers: readonly Pick<PeerResults, "title" | "timings">[];
  /** Milliseconds after which a peer's request is aborted. */
  readonly limit: number;
};

/** CSV of the classes of requests by system: milliseconds, the worst of our p50s, and our time divided by the fastest peer's. */
export function formatClasses({ cases, ours, peers, limit }: SearchResults): string {
  const groups = Map.groupBy(cases.keys(), (index) => cases[index]?.group ?? "");
  const lines = [...groups].map(([group, indexes]) => {
    const pick = (timings: readonly Timing[]) => indexes.flatMap((index) => timings[index] ?? []);
    const own = pick(ours.timings);
    const middles = own.map(medianOf);
    const middle = median(middles);
    const others = peers.map(({ timings }) => pick(timings));
    return [
      group,
      String(indexes.length),
      formatTime(middle),
      formatTime(Math.max(...middles)),
      formatTime(
        percentile(
          own.flatMap(({ times }) => times),
          0.99,
        ),
      ),
      ...others.map((timings) => formatMiddle(timings, limit)),
      formatRatio(middle / Math.min(...others.map((timings) => median(timings.map(medianOf))))),
    ];
  });
  return formatCsv(
    [
      "class",
      "requests",
      "ours p50",
      "worst p50",
      "ours p99",
      ...peers.map(({ title }) => title),
      "ours ÷ fastest",
    ],
    lines,
  );
}

/** Formats the whole suite by system: geometric means of the p50s, and each as a multiple of ours. */
export function formatWhole({ ours, peers }: Pick<SearchResults, "ours" | "peers">): string {
  const mean = (timings: readonly Timing[]) => geometricMean(timings.map(medianOf));
  const own = mean(ours.timings);
  const others = peers.map(({ timings }) => mean(timings));
  return formatTable(
    ["whole suite", "ours", ...peers.map(({ title }) => title)],
    [
      ["geometric mean of all p50, ms", ...[own, ...others].map(formatTime)],
      ["times ours", "1", ...others.map((other) => formatRatio(other / own))],
    ],
    1,
  );
}

/** The classes of the requests that only we answer: milliseconds, and the p50 as a multiple of the yardstick. */
export function formatOwn(cases: readonly OwnCase[], timings: readonly Timing[]): string {
  const groups = Map.groupBy(cases.keys(), (index) => cases[index]?.group ?? "");
  const lines = [...groups].map(([group, indexes]) => {
    const middles = indexes.flatMap((index) =>
      timings[index] === undefined ? [] : medianOf(timings[index]),
    );
    return [group, String(indexes.length), formatTime(median(middles)), formatTime(Math.max(...middles))];
  });
  return formatCsv(["class", "requests", "p50", "worst p50"], lines);
}

/** CSV of every request with its class, its total and each system's p50. */
export function formatRequests({ cases, ours, peers, limit }: SearchResults): string {
  const lines = cases.map(({ group, request }, index) => [
    group,
    href(request),
    String(ours.timings[index]?.answer?.total ?? 0),
    formatTime(medianOf(ours.timings[index] ?? { times: [], answer: undefined })),
    ...peers.map(({ timings }) => formatMiddle(timings[index] === undefined ? [] : [timings[index]], limit)),
  ]);
  return formatCsv(["class", "request", "total", "ours", ...peers.map(({ title }) => title)], lines);
}

/** Returns one line for each answer of a peer that differs from ours in total or ids. Aborted requests are not compared. */
export function findDifferences({ cases, ours, peers }: SearchResults): string[] {
  return peers.flatMap(({ title, timings }) =>
    cases.flatMap(({ request }, index) => {
      const [own, other] = [ours.timings[index]?.answer, timings[index]?.answer];
      if (own === undefined || other === undefined) return [];
      if (own.total !== other.total)
        return [`${title}: ${href(request)} has the total ${other.total}, ours is ${own.total}`];
      const isSame =
        own.ids.length === other.ids.length && own.ids.every((id, place) => id === other.ids[place]);
      return isSame ? [] : [`${title}: ${href(request)} has other ids than ours`];
    }),
  );
}

/** The p50 of a class; marked if one of its requests was aborted. */
function formatMiddle(timings: readonly Timing[], limit: number): string {
  const middle = median(timings.map(medianOf));
  if (middle >= limit) return `> ${limit.toLocaleString("en-US")}`;
  return `${formatTime(middle)}${timings.some(({ answer }) => answer === undefined) ? " †" : ""}`;
}

/** Formats milliseconds with three significant digits. */
export function formatTime(milliseconds: number): string {
  if (milliseconds >= 100) return Math.round(milliseconds).toLocaleString("en-US");
  return milliseconds.toFixed(milliseconds >= 10 ? 1 : 2);
}

function formatRatio(ratio: number): string {
  if (ratio === 0) return "–"; // no peer was measured
  return ratio >= 100 ? Math.round(ratio).toLocaleString("en-US") : ratio.toFixed(ratio >= 10 ? 1 : 2);
}
