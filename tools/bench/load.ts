// Measures load: pages from our server against nginx on the same bytes, and pages during an overload of searches.
import { setTimeout as sleep } from "node:timers/promises";
import { isNginxInstalled } from "../../test/api-static/edge/nginx.fixture.ts";
import { startLoad } from "../../test/api-static/server/load.fixture.ts";
import type { Corpus } from "./corpus.ts";
import { connections, measurePages, measureWorkers, writePaths } from "./pages.ts";
import type { BenchPart } from "./part.ts";
import { BenchServer } from "./server.ts";
import { percentile } from "./statistics.ts";
import { formatTable } from "./table.ts";
import { isWrkInstalled, runWrk, type WrkResults } from "./wrk.ts";

const seconds = 4;

export const loadPart: BenchPart = {
  title: "Load",
  async run({ folder, corpus: findCorpus, print }) {
    if (!isWrkInstalled || !isNginxInstalled) return "Not measured: wrk or nginx is not installed.";
    const corpus = await findCorpus();
    const paths = await writePaths(corpus, folder);
    print("load: pages");
    const pages = await measurePages(corpus, paths);
    print("load: workers");
    const workers = await measureWorkers(corpus, paths.hits);
    print("load: pages among searches");
    return [intro, pages, workers, await measureOverload(corpus, paths.hits)].join("\n\n");
  },
};

const intro = `Gzipped pages of 100 records from funders of every size, requested by ${connections} connections without pauses. The server and nginx
run in turn on one core, wrk on the other. Medians of 3 runs of 4 s. *Hits* are 2,000 pages, which fit in memory, *misses* up to 200,000,
which do not, *windows* 100 records at offsets without a page file. The p50 and p99 are at half the rate of our server. A plain nginx finds a
page by its file name; ours answers from its cache of the server's responses.`;

/** Searches for frequent texts and for amounts, all of them expensive. */
function searchPath(turn: number): string {
  const words = ["support", "education", "health", "community", "general", "program", "research", "arts"];
  return `/v1/history?purpose=${words[turn % words.length]}&min_amount=${1 + (turn % 9_973)}&offset=${turn % 97}`;
}

/** Measures pages at half the server's capacity: alone, and during ten times the searches that it can answer. */
async function measureOverload(corpus: Corpus, paths: string): Promise<string> {
  const server = await BenchServer.start(corpus.data, { SEARCH_SECONDS: "5" });
  const { origin } = server;
  const pause = 20;
  let turn = 0;
  const next = () => searchPath(turn++);
  const press = async (
    clients: number,
    rate: number | undefined,
    work: () => Promise<WrkResults | undefined>,
  ) => {
    const [answered, refused]: [number[], number[]] = [[], []];
    const load = startLoad({
      port: Number(new URL(origin).port),
      clients,
      ...(rate === undefined ? {} : { rate }),
      next,
      onAnswer: (path, { status }, milliseconds) => {
        if (status !== 200 && status !== 503) throw new Error(`${path} returned ${status}`);
        (status === 200 ? answered : refused).push(milliseconds);
      },
    });
    const start = performance.now();
    const pages = await work();
    const spent = (performance.now() - start) / 1000;
    await load.stop();
    return { pages, answered, refused, spent };
  };
  try {
    const most = await runWrk({ origin, paths, connections, seconds, pause: 0 });
    const waiting = Math.ceil((most.perSecond / 2) * (pause / 1000));
    const askPages = () => runWrk({ origin, paths, connections: waiting, seconds: 2 * seconds, pause });
    const alone = await askPages();
    const able = await press(4, undefined, async () => void (await sleep(seconds * 1000)));
    const capacity = able.answered.length / able.spent;
    const pressed = await press(200, 10 * capacity, askPages);
    await sleep(2_000);
    const after = await askPages();
    return formatOverload(alone, pressed, after, capacity);
  } finally {
    await server.stop();
  }
}

type Pressed = {
  readonly pages: WrkResults | undefined;
  readonly answered: readonly number[];
  readonly refused: readonly number[];
  readonly spent: number;
};

function formatOverload(alone: WrkResults, pressed: Pressed, after: WrkResults, capacity: number): string {
  const { pages, answered, refused, spent } = pressed;
  const perSecond = (times: readonly number[]) => Math.round(times.length / spent).toLocaleString("en-US");
  const line = (name: string, results: WrkResults | undefined) => [
    name,
    Math.round(results?.perSecond ?? Number.NaN).toLocaleString("en-US"),
    ((results?.perSecond ?? Number.NaN) / alone.perSecond).toFixed(2),
    (results?.p99 ?? Number.NaN).toFixed(2),
  ];
  const table = formatTable(
    ["pages", "per second", "÷ alone", "p99 ms"],
    [line("alone", alone), line("during the overload", pages), line("two seconds after", after)],
    1,
  );
  return `### Too many searches

Pages are requested at half the server's capacity on all cores, which it shares with the load, and searches at ten times the
${Math.round(capacity).toLocaleString("en-US")} per second that it can answer alone. ${perSecond(answered)} searches per second were answered (p99 ${percentile(answered, 0.99).toFixed(0)} ms), and ${perSecond(refused)} per second
got 503 (p99 ${refused.length === 0 ? "–" : percentile(refused, 0.99).toFixed(0)} ms).

${table}`;
}
