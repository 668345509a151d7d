// Owns the benchmark of search: one suite over HTTP against our server, and the same against what people use instead.
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FunderRow, funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import { exportAccepted } from "./accepted.ts";
import type { Corpus } from "./corpus.ts";
import type { BenchPart } from "./part.ts";
import { pickValues } from "./picks.ts";
import { middleOf } from "./rounds.ts";
import { chartOf, writeCharts } from "./search.chart.ts";
import {
  findDifferences,
  formatClasses,
  formatRequests,
  formatTime,
  type SearchFigures,
} from "./search.tables.ts";
import { median, percentile } from "./statistics.ts";
import { buildSuite } from "./suite.ts";
import {
  type MissingPeer,
  measureOurs,
  measurePeer,
  type OurFigures,
  type PeerFigures,
  timeLimit,
} from "./systems.ts";
import { formatTable } from "./table.ts";
import { chooseWindows } from "./windows.ts";

/** The charts stand beside docs/benchmarks.md, which shows them. */
const chartFolder = "docs/charts";

export const searchPart: BenchPart = {
  title: "Search",
  titleAlone: "Search without peers",
  async run({ settings, folder, corpus: findCorpus, tell }) {
    const corpus = await findCorpus();
    const work = join(folder, "search");
    await mkdir(work);
    tell("search: grants are exported for the peers");
    const grants = await exportAccepted(corpus, work, join(work, "accepted.parquet"));
    const cases = buildSuite(await pickValues(grants, join(work, "spill")));
    tell(`search: our server is asked ${cases.length} requests`);
    const ours = await measureOurs(corpus, cases, chooseWindows(await readFunders(corpus)));
    const results: (PeerFigures | MissingPeer)[] = [];
    for (const name of settings.peers) results.push(await measurePeer(name, grants, cases, work, tell));
    await rm(work, { recursive: true });
    const peers = results.filter((result) => "timings" in result);
    const figures = { cases, ours, peers, limit: timeLimit };
    const differences = findDifferences(figures);
    if (differences.length > 0) process.exitCode = 1; // figures of different answers compare nothing
    const hasPeers = results.length > 0;
    const chart = peers.length > 0 ? [await writeCharts(chartOf(figures, corpus.records), chartFolder)] : [];
    return [
      intro(cases.length, hasPeers),
      ...chart,
      formatClasses(figures),
      ...(hasPeers ? [formatMarks(figures, differences)] : []),
      `### Other figures\n\n${formatOthers(corpus, ours)}`,
      ...(hasPeers ? [`### The systems\n\n${formatSystems(results)}`] : []),
      `### Every request\n\nMilliseconds, p50.\n\n${formatRequests(figures)}`,
    ].join("\n\n");
  },
};

const intro = (requests: number, hasPeers: boolean) =>
  `A fixed suite of ${requests} requests, its values picked from the data; one client over HTTP, in rounds: 3 to warm up and 25 that
count. A time ends when the total and every field of the page's records are values in JavaScript. Milliseconds; a class's p50 is
the middle of its requests' p50s.${hasPeers ? ` ${introOfPeers}` : ""}`;

const introOfPeers = `The peers are asked 2 and 10 rounds in the process that measures (PostgreSQL over its socket), which is harder
for us. They have the canonical texts as columns of their own, and each grant's place in the result order to sort by.`;

function formatMarks({ cases, peers, limit }: SearchFigures, differences: readonly string[]): string {
  const given = peers.flatMap(({ timings }) => timings).filter(({ answer }) => answer === undefined).length;
  const compared = cases.length * peers.length - given;
  const lines = [
    differences.length === 0
      ? `All ${compared} answers of the peers have our totals and our ids.`
      : `**${differences.length} of ${compared} answers differ:**\n\n${differences.map((line) => `- ${line}`).join("\n")}`,
  ];
  if (given > 0)
    lines.push(
      `${given} requests of the peers were given up after ${limit / 1000} s (†) and count as that: the peers' means are at least so large.`,
    );
  return lines.join(" ");
}

function formatOthers(corpus: Corpus, { windows, roundTrips, memory }: OurFigures): string {
  const times = windows.flatMap((timing) => timing.times);
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString("en-US")} MB`;
  return formatTable(
    ["figure", "value"],
    [
      ["grants", corpus.records.toLocaleString("en-US")],
      ["index, bytes per grant", (corpus.indexBytes / corpus.records).toFixed(1)],
      ["any window of any funder, offset up to 400,000: p50, ms", formatTime(median(windows.map(middleOf)))],
      ["… p99, ms", formatTime(percentile(times, 0.99))],
      ["HTTP alone (`/healthz`), in every time of ours: p50, ms", formatTime(median(roundTrips))],
      [
        "server's resident memory after the suite",
        memory === undefined ? "not known here" : megabytes(memory.now),
      ],
      ["… at most", memory === undefined ? "not known here" : megabytes(memory.peak)],
    ],
    1,
  );
}

function formatSystems(results: readonly (PeerFigures | MissingPeer)[]): string {
  const lines = results.map((result) =>
    "reason" in result
      ? [result.title, `left out: ${result.reason}`, "", ""]
      : [result.version, result.arrangement, result.loadSeconds.toFixed(0), (result.bytes / 1e9).toFixed(2)],
  );
  return formatTable(["system", "grants kept as", "load s", "disk GB"], lines, 2);
}

async function readFunders(corpus: Corpus): Promise<FunderRow[]> {
  const table = await readFile(join(corpus.release, parts.funders));
  return Array.from({ length: table.length / funderRowBytes }, (_, index) => readFunderRow(table, index));
}
