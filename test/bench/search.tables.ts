// Owns the form of the search figures: classes against systems, what the systems are, every request, and who answered differently.
import { href } from "../../api-static/contract/pageKeys.ts";
import { middleOf, type Timing } from "./rounds.ts";
import { geometricMean, median, percentile } from "./statistics.ts";
import type { Case } from "./suite.ts";
import type { OurFigures, PeerFigures } from "./systems.ts";
import { formatTable } from "./table.ts";

export type SearchFigures = {
  readonly cases: readonly Case[];
  readonly ours: Pick<OurFigures, "timings">;
  readonly peers: readonly Pick<PeerFigures, "title" | "timings">[];
  /** Milliseconds after which a peer's request is given up. */
  readonly limit: number;
};

/** Classes of requests against systems: milliseconds, and ours as a part of the fastest peer's. */
export function formatClasses({ cases, ours, peers, limit }: SearchFigures): string {
  const groups = Map.groupBy(cases.keys(), (index) => cases[index]?.group ?? "");
  const lines = [...groups].map(([group, indexes]) => {
    const pick = (timings: readonly Timing[]) => indexes.flatMap((index) => timings[index] ?? []);
    const own = pick(ours.timings);
    const middle = median(own.map(middleOf));
    const others = peers.map(({ timings }) => pick(timings));
    return [
      group,
      String(indexes.length),
      formatTime(middle),
      formatTime(
        percentile(
          own.flatMap(({ times }) => times),
          0.99,
        ),
      ),
      ...others.map((timings) => formatMiddle(timings, limit)),
      formatRatio(middle / Math.min(...others.map((timings) => median(timings.map(middleOf))))),
    ];
  });
  return formatTable(
    ["class", "requests", "ours p50", "ours p99", ...peers.map(({ title }) => title), "ours ÷ fastest"],
    [...lines, ...formatWhole({ cases, ours, peers, limit })],
    1,
  );
}

/** The whole suite's lines: geometric means of the requests' p50, and how many times ours each is. */
function formatWhole({ cases, ours, peers }: SearchFigures): string[][] {
  const mean = (timings: readonly Timing[]) => geometricMean(timings.map(middleOf));
  const own = mean(ours.timings);
  const others = peers.map(({ timings }) => mean(timings));
  const p99 = percentile(
    ours.timings.flatMap(({ times }) => times),
    0.99,
  );
  return [
    [
      "**geometric mean of all p50**",
      String(cases.length),
      formatTime(own),
      formatTime(p99),
      ...others.map(formatTime),
      formatRatio(own / Math.min(...others)),
    ],
    ["**times ours**", "", "1", "", ...others.map((other) => formatRatio(other / own)), ""],
  ];
}

/** Every request with its total and each system's p50. */
export function formatRequests({ cases, ours, peers, limit }: SearchFigures): string {
  const lines = cases.map(({ request }, index) => [
    `\`${shorten(href(request))}\``,
    (ours.timings[index]?.answer?.total ?? 0).toLocaleString("en-US"),
    formatTime(middleOf(ours.timings[index] ?? { times: [], answer: undefined })),
    ...peers.map(({ timings }) => formatMiddle(timings[index] === undefined ? [] : [timings[index]], limit)),
  ]);
  return formatTable(["request", "total", "ours", ...peers.map(({ title }) => title)], lines, 1);
}

/** One line for every answer of a peer that is not ours: another total, or other ids. Those given up are not compared. */
export function findDifferences({ cases, ours, peers }: SearchFigures): string[] {
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

/** A class's p50; marked where a request of it was given up. */
function formatMiddle(timings: readonly Timing[], limit: number): string {
  const middle = median(timings.map(middleOf));
  if (middle >= limit) return `> ${limit.toLocaleString("en-US")}`;
  return `${formatTime(middle)}${timings.some(({ answer }) => answer === undefined) ? " †" : ""}`;
}

/** Milliseconds, with three digits that count. */
export function formatTime(milliseconds: number): string {
  if (milliseconds >= 100) return Math.round(milliseconds).toLocaleString("en-US");
  return milliseconds.toFixed(milliseconds >= 10 ? 1 : 2);
}

function formatRatio(ratio: number): string {
  if (ratio === 0) return "–"; // no peer was measured
  return ratio >= 100 ? Math.round(ratio).toLocaleString("en-US") : ratio.toFixed(ratio >= 10 ? 1 : 2);
}

const lengthShown = 110;

function shorten(url: string): string {
  const query = url.slice(url.indexOf("?"));
  return query.length <= lengthShown ? query : `${query.slice(0, lengthShown)}…`;
}
