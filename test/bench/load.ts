// Measures load: pages from our server against nginx on the same bytes, and pages during an overload of searches.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatEin } from "../../api-static/contract/ein.ts";
import { funderPageKey, href } from "../../api-static/contract/pageKeys.ts";
import { type FunderRow, funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import { isNginxInstalled, runNginx, startNginx } from "../api-static/edge/nginx.fixture.ts";
import { startLoad } from "../api-static/server/load.fixture.ts";
import type { Corpus } from "./corpus.ts";
import type { BenchPart } from "./part.ts";
import { BenchServer } from "./server.ts";
import { median, percentile } from "./statistics.ts";
import { formatTable } from "./table.ts";
import { isWrkInstalled, pin, runWrk, type WrkResults } from "./wrk.ts";

const seconds = 4;
const rounds = 3;
const connections = 32;
const pagesMeasured = 2_000;

export const loadPart: BenchPart = {
  title: "Load",
  async run({ folder, corpus: findCorpus, print }) {
    if (!isWrkInstalled || !isNginxInstalled) return "Not measured: wrk or nginx is not installed.";
    const corpus = await findCorpus();
    const pages = choosePages(await readFunders(corpus));
    const [queries, keys] = [join(folder, "load.queries"), join(folder, "load.keys")];
    await writeFile(queries, pages.map(({ query }) => `${query}\n`).join(""));
    await writeFile(keys, pages.map(({ key }) => `/${key}\n`).join(""));
    print("load: pages");
    const hosts = await measureHosts(corpus, queries, keys);
    print("load: pages among searches");
    return [intro, formatHosts(hosts), await measureOverload(corpus, queries)].join("\n\n");
  },
};

const intro = `${pagesMeasured} gzipped pages of funders of every size, requested by ${connections} connections without pauses. The server and nginx run
in turn on one core, wrk on the other. Medians of ${rounds} runs of ${seconds} s. The last column is at half the rate of our server, with
random pauses. A plain nginx finds a page by its file name; our nginx configuration answers from its cache of the server's responses.`;

type Page = { readonly query: string; readonly key: string };

/** Pages of 100 records, spread evenly over all pages of all funders. */
function choosePages(funders: readonly FunderRow[]): Page[] {
  const counts = funders.map(({ records }) => Math.ceil(records / 100));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let [funder, before] = [0, 0];
  return Array.from({ length: pagesMeasured }, (_, index) => {
    const at = Math.floor((index * total) / pagesMeasured);
    while (at >= before + (counts[funder] ?? Number.POSITIVE_INFINITY)) before += counts[funder++] ?? 0;
    const funderEin = formatEin(funders[funder]?.ein ?? 0);
    const offset = (at - before) * 100;
    const request = { kind: "history", scope: "funder", filters: { funderEin }, limit: 100, offset } as const;
    return { query: href(request), key: funderPageKey(funderEin, 100, offset) };
  });
}

async function readFunders(corpus: Corpus): Promise<FunderRow[]> {
  const table = await readFile(join(corpus.release, parts.funders));
  return Array.from({ length: table.length / funderRowBytes }, (_, index) => readFunderRow(table, index));
}

type Host = { readonly name: string; readonly full: WrkResults[]; readonly half: WrkResults[] };

/** Measures the three hosts in turn, so that a disturbance does not affect only one of them. */
async function measureHosts(corpus: Corpus, queries: string, keys: string): Promise<Host[]> {
  const server = await BenchServer.start(corpus.data);
  const plain = await runNginx((_, port) => formatPlain(port, join(corpus.data, "current", parts.public)));
  const edge = await startNginx(corpus.data, [Number(new URL(server.origin).port)]);
  const hosts = [
    {
      name: "our server",
      origin: server.origin,
      paths: queries,
      full: [] as WrkResults[],
      half: [] as WrkResults[],
    },
    {
      name: "nginx, plain",
      origin: originOf(plain),
      paths: keys,
      full: [] as WrkResults[],
      half: [] as WrkResults[],
    },
    {
      name: "nginx, ours",
      origin: originOf(edge),
      paths: queries,
      full: [] as WrkResults[],
      half: [] as WrkResults[],
    },
  ];
  try {
    for (const pid of [server.pid, plain.pid, edge.pid]) pin(pid);
    for (const { origin, paths } of hosts) await runWrk({ origin, paths, connections, seconds: 2, pause: 0 });
    for (let round = 0; round < rounds; round++)
      for (const { origin, paths, full } of hosts)
        full.push(await runWrk({ origin, paths, connections, seconds, pause: 0 }));
    const rate = middle(hosts[0]?.full ?? [], "perSecond") / 2;
    const pause = 20;
    const waiting = Math.ceil((rate * pause) / 1000);
    for (let round = 0; round < rounds; round++)
      for (const { origin, paths, half } of hosts)
        half.push(await runWrk({ origin, paths, connections: waiting, seconds, pause }));
    return hosts;
  } finally {
    await Promise.all([edge.stop(), plain.stop()]);
    await server.stop();
  }
}

const originOf = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`;

function formatPlain(port: number, root: string): string {
  return `server { listen 127.0.0.1:${port}; root ${root}; gzip_static always; default_type application/json; }`;
}

function middle(results: readonly WrkResults[], name: keyof WrkResults): number {
  return median(results.map((one) => one[name]));
}

function formatHosts(hosts: readonly Host[]): string {
  const plain = middle(hosts[1]?.full ?? [], "perSecond");
  const lines = hosts.map(({ name, full, half }) => [
    name,
    Math.round(middle(full, "perSecond")).toLocaleString("en-US"),
    (middle(full, "perSecond") / plain).toFixed(2),
    middle(full, "p50").toFixed(2),
    middle(full, "p99").toFixed(2),
    `${middle(half, "p99").toFixed(2)} at ${Math.round(middle(half, "perSecond")).toLocaleString("en-US")} per second`,
  ]);
  return formatTable(
    ["host", "pages per second", "÷ plain nginx", "p50 ms", "p99 ms", "p99 ms at half the rate"],
    lines,
    1,
  );
}

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
