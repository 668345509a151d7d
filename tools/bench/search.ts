// Measures search: one suite over HTTP against our server, and the same suite against the systems people use instead.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FunderRow, funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import { exportAccepted, exportKeys } from "./accepted.ts";
import type { Corpus } from "./corpus.ts";
import { buildOwnSuite, type OwnCase } from "./ownSuite.ts";
import type { BenchPart } from "./part.ts";
import { pickValues } from "./picks.ts";
import { medianOf, type Timing } from "./rounds.ts";
import { chartOf, writeCharts } from "./search.chart.ts";
import {
  findDifferences,
  formatClasses,
  formatOwn,
  formatRequests,
  formatTime,
  formatWhole,
  type SearchResults,
} from "./search.tables.ts";
import { geometricMean, median, percentile } from "./statistics.ts";
import { buildSuite } from "./suite.ts";
import {
  type MissingPeer,
  measureOurs,
  measurePeer,
  type OurResults,
  type PeerResults,
  timeLimit,
} from "./systems.ts";
import { formatList, formatTable } from "./table.ts";
import { chooseWindows } from "./windows.ts";
import { measureYardstick } from "./yardstick.ts";

/** Beside docs/benchmarks.md, which shows the charts and links to the tables. */
const chartFolder = "docs/charts";
const tableFolder = "docs/benchmarks";

export const searchPart: BenchPart = {
  title: "Search",
  titleAlone: "Search without peers",
  async run({ settings, folder, corpus: findCorpus, print }) {
    const corpus = await findCorpus();
    const work = join(folder, "search");
    await mkdir(work);
    const hasPeers = settings.peers.length > 0;
    print("search: exporting the grants");
    const grants = await (hasPeers ? exportAccepted : exportKeys)(corpus, work, join(work, "grants.parquet"));
    const picks = await pickValues(grants, join(work, "spill"));
    const [cases, ownCases] = [buildSuite(picks), buildOwnSuite(picks)];
    print(`search: sending ${cases.length + ownCases.length} requests to our server`);
    const ours = await measureOurs(corpus, cases, chooseWindows(await readFunders(corpus)), ownCases);
    const measured: (PeerResults | MissingPeer)[] = [];
    for (const name of settings.peers) measured.push(await measurePeer(name, grants, cases, work, print));
    await rm(work, { recursive: true });
    const peers = measured.filter((result) => "timings" in result);
    const results = { cases, ours, peers, limit: timeLimit };
    const differences = findDifferences(results);
    if (differences.length > 0) process.exitCode = 1; // times of different answers cannot be compared
    const yardstick = measureYardstick(corpus.records);
    const writeChart = () => writeCharts(chartOf(results, corpus.records), chartFolder, "search");
    return [
      introOf(cases.length, hasPeers),
      ...(peers.length > 0 ? [await writeChart()] : []),
      ...(peers.length > 0 ? [formatWhole(results)] : []),
      await writeTables(results, hasPeers ? "search" : "search-alone"),
      ...(hasPeers ? [] : [await writeOwn(ownCases, ours.own)]),
      ...(hasPeers
        ? [formatMarks(results, differences), formatSystems(measured)]
        : [formatYardstick(ours, yardstick), formatOthers(corpus, ours)]),
    ].join("\n\n");
  },
};

/** Writes the tables of classes and of requests as CSV. @returns a sentence that links to them */
async function writeTables(results: SearchResults, name: string): Promise<string> {
  await mkdir(tableFolder, { recursive: true });
  await writeFile(join(tableFolder, `${name}.classes.csv`), formatClasses(results));
  await writeFile(join(tableFolder, `${name}.requests.csv`), formatRequests(results));
  return `All times in milliseconds: [by class](benchmarks/${name}.classes.csv), [by request](benchmarks/${name}.requests.csv).`;
}

/** Writes the table of requests that no peer answers as CSV. @returns a sentence that links to it */
async function writeOwn(cases: readonly OwnCase[], timings: readonly Timing[]): Promise<string> {
  await writeFile(join(tableFolder, "search-alone.own.csv"), formatOwn(cases, timings));
  return "Requests that no peer answers: [ranges, lists, order by amount, totals and groups](benchmarks/search-alone.own.csv).";
}

/** How the suite is measured; the section without peers refers to the one with them. */
function introOf(requests: number, hasPeers: boolean): string {
  if (!hasPeers) return `Measured as in [Search](#search), with a suite of ${requests} requests.`;
  return `A suite of ${requests} requests with values drawn from the data; one client over HTTP, 3 warm-up rounds and 25 measured
ones, until all fields of the page are JavaScript values. ${introOfPeers}`;
}

const introOfPeers = `The peers get 2 warm-up and 10 measured rounds inside the measuring
process (PostgreSQL over its socket), which favors them, and extra columns with the canonical texts and the result order.`;

function formatMarks({ cases, peers, limit }: SearchResults, differences: readonly string[]): string {
  const given = peers.flatMap(({ timings }) => timings).filter(({ answer }) => answer === undefined).length;
  const compared = cases.length * peers.length - given;
  const lines = [
    differences.length === 0
      ? `All ${compared} answers of the peers have the same totals and ids as ours.`
      : `**${differences.length} of ${compared} answers differ:**\n\n${differences.map((line) => `- ${line}`).join("\n")}`,
  ];
  if (given > 0)
    lines.push(
      `${given} requests of the peers were aborted after ${limit / 1000} s (†) and count as that, so the peers' true means are larger.`,
    );
  return lines.join(" ");
}

/** The yardstick compares machines of different speed. */
function formatYardstick({ timings, mix }: OurResults, yardstick: number): string {
  const middles = timings.map(medianOf);
  const times = timings.flatMap((timing) => timing.times);
  const line = (name: string, time: number) => [name, formatTime(time)];
  return `In the mix, ${mix.clients} clients send the suite without pauses, ${mix.perSecond.toFixed(0)} searches per second. Times in milliseconds:

${formatList([
  line("yardstick: one thread tests a bit for every record", yardstick),
  line("geometric mean of all p50", geometricMean(middles)),
  line("worst p50", Math.max(...middles)),
  line("p99", percentile(times, 0.99)),
  line("mix: p50", mix.p50),
  line("mix: p99", mix.p99),
  line("mix: `/healthz`, p99", mix.healthP99),
  line("mix: `/healthz`, longest", mix.healthLongest),
])}

The server:`;
}

function formatOthers(corpus: Corpus, { firstSearch, windows, roundTrips, memory }: OurResults): string {
  const times = windows.flatMap((timing) => timing.times);
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString("en-US")} MB`;
  return formatList([
    ["grants", corpus.records.toLocaleString("en-US")],
    ["index, bytes per grant", (corpus.indexBytes / corpus.records).toFixed(1)],
    ["window of any funder, offsets up to 400,000: p50, ms", formatTime(median(windows.map(medianOf)))],
    ["… p99, ms", formatTime(percentile(times, 0.99))],
    ["HTTP alone (`/healthz`): p50, ms", formatTime(median(roundTrips))],
    ["start until the first search is answered, s", (firstSearch / 1000).toFixed(2)],
    ["resident memory after the suite", memory === undefined ? "unknown" : megabytes(memory.now)],
    ["… peak", memory === undefined ? "unknown" : megabytes(memory.peak)],
  ]);
}

function formatSystems(results: readonly (PeerResults | MissingPeer)[]): string {
  const lines = results.map((result) => {
    if ("reason" in result) return [result.title, `skipped: ${result.reason}`, "", ""];
    return [
      result.version,
      result.arrangement,
      result.loadSeconds.toFixed(0),
      (result.bytes / 1e9).toFixed(2),
    ];
  });
  return formatTable(["system", "storage", "load s", "disk GB"], lines, 2);
}

async function readFunders(corpus: Corpus): Promise<FunderRow[]> {
  const table = await readFile(join(corpus.release, parts.funders));
  return Array.from({ length: table.length / funderRowBytes }, (_, index) => readFunderRow(table, index));
}
