// Measures pages and windows of funders from our server, against nginx on the same bytes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatEin } from "../../api-static/contract/ein.ts";
import { href } from "../../api-static/contract/operations/searches.ts";
import { funderPageKey } from "../../api-static/contract/plainPages.ts";
import { type FunderRow, funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import { runNginx, startNginx } from "../../test/api-static/edge/nginx.fixture.ts";
import type { Corpus } from "./corpus.ts";
import { BenchServer } from "./server.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";
import { pin, runWrk, type WrkResults } from "./wrk.ts";

const seconds = 4;
const rounds = 3;
export const connections = 32;

/** Pages that fit in memory, and pages that do not: they are requested in turn, so each is dropped before it comes again. */
const pagesOfHits = 2_000;
const pagesOfMisses = 200_000;
const windowsMeasured = 20_000;

/** The kind of windows that are requested without compression. */
const plainWindows = "windows, not compressed";

/** Files with paths, one on each line. */
export type Paths = Record<"hits" | "hitKeys" | "misses" | "missKeys" | "windows", string>;

/** Writes the paths to request into a folder. */
export async function writePaths(corpus: Corpus, folder: string): Promise<Paths> {
  const table = await readFile(join(corpus.release, parts.funders));
  const funders = Array.from({ length: table.length / funderRowBytes }, (_, index) =>
    readFunderRow(table, index),
  );
  const [hits, misses] = [choosePages(funders, pagesOfHits), choosePages(funders, pagesOfMisses)];
  const lists: Paths = {
    hits: formatLines(hits.map(hrefOf)),
    hitKeys: formatLines(hits.map(keyOf)),
    misses: formatLines(misses.map(hrefOf)),
    missKeys: formatLines(misses.map(keyOf)),
    windows: formatLines(chooseWindows(funders).map(hrefOf)),
  };
  const written = Object.entries(lists).map(async ([name, text]) => {
    const path = join(folder, `pages.${name}`);
    await writeFile(path, text);
    return [name, path];
  });
  return Object.fromEntries(await Promise.all(written)) as Paths;
}

type Window = { readonly ein: number; readonly offset: number };

const hrefOf = ({ ein, offset }: Window) =>
  href({ kind: "history", scope: "funder", filters: { funderEin: formatEin(ein) }, limit: 100, offset });
const keyOf = ({ ein, offset }: Window) => `/${funderPageKey(formatEin(ein), 100, offset)}`;
const formatLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** Pages of 100 records, spread evenly over all pages of all funders; all of them if there are fewer. In a scattered order. */
function choosePages(funders: readonly FunderRow[], most: number): Window[] {
  const all = funders.flatMap(({ ein, records }) =>
    Array.from({ length: Math.ceil(records / 100) }, (_, page) => ({ ein, offset: page * 100 })),
  );
  return scatter(all).slice(0, most);
}

/** Windows of 100 records at offsets without a page file. */
function chooseWindows(funders: readonly FunderRow[]): Window[] {
  const all = funders.flatMap(({ ein, records }) =>
    Array.from({ length: Math.max(0, Math.ceil(records / 100) - 1) }, (_, page) => ({
      ein,
      offset: Math.min(page * 100 + 1 + ((page * 37) % 99), records - 100),
    })),
  );
  return scatter(all.filter(({ offset }) => offset % 100 !== 0)).slice(0, windowsMeasured);
}

/** The items in an order in which neighbors are far apart, always the same. */
function scatter<Item>(items: readonly Item[]): Item[] {
  const place = (index: number) => (index * 0.618_033_988_749_895) % 1;
  const places = items.map((item, index) => ({ item, place: place(index) }));
  return places.sort((a, b) => a.place - b.place).map(({ item }) => item);
}

type Host = {
  readonly name: string;
  readonly origin: string;
  readonly pid: number | undefined;
  /** Files of paths, by kind of request; absent if the host does not answer that kind. */
  readonly paths: Readonly<Record<string, string>>;
};

type Row = {
  readonly kind: string;
  readonly host: string;
  readonly full: WrkResults[];
  readonly half: WrkResults[];
};

/** Measures the hosts in turn, so that a disturbance does not affect only one of them; returns a table. */
export async function measurePages(corpus: Corpus, paths: Paths): Promise<string> {
  const server = await BenchServer.start(corpus.data);
  const plain = await runNginx((_, port) => formatPlain(port, join(corpus.data, "current", parts.public)));
  const edge = await startNginx(corpus.data, [Number(new URL(server.origin).port)]);
  const { hits, misses, windows } = paths;
  const hosts: Host[] = [
    {
      name: "our server",
      origin: server.origin,
      pid: server.pid,
      paths: { hits, misses, windows, [plainWindows]: windows },
    },
    { name: "nginx, plain", ...placeOf(plain), paths: { hits: paths.hitKeys, misses: paths.missKeys } },
    { name: "nginx, ours", ...placeOf(edge), paths: { hits } },
  ];
  try {
    for (const { pid } of hosts) pin(pid);
    const rows: Row[] = [];
    for (const kind of ["hits", "misses", "windows", plainWindows])
      rows.push(...(await measureKind(kind, hosts)));
    return formatRows(rows);
  } finally {
    await Promise.all([edge.stop(), plain.stop()]);
    await server.stop();
  }
}

const placeOf = ({ port, pid }: { port: number; pid: number | undefined }) => ({
  origin: `http://127.0.0.1:${port}`,
  pid,
});

function formatPlain(port: number, root: string): string {
  return `server { listen 127.0.0.1:${port}; root ${root}; gzip_static always; default_type application/json; }`;
}

async function measureKind(kind: string, hosts: readonly Host[]): Promise<Row[]> {
  const pause = 5; // longer ones need more connections, and to open hundreds of them at once would be measured too
  const isPlain = kind === plainWindows;
  const measured = hosts.flatMap((host) => {
    const paths = host.paths[kind];
    const row: Row = { kind, host: host.name, full: [], half: [] };
    return paths === undefined
      ? []
      : [{ row, load: { origin: host.origin, measured: host.pid, paths, pause: 0, isPlain } }];
  });
  for (const { load } of measured) await runWrk({ ...load, connections, seconds: 2 });
  for (let round = 0; round < rounds; round++)
    for (const { row, load } of measured) row.full.push(await runWrk({ ...load, connections, seconds }));
  const rate = middle(measured[0]?.row.full ?? [], "perSecond") / 2;
  const waiting = Math.max(1, Math.ceil((rate * pause) / 1000));
  for (let round = 0; round < rounds; round++)
    for (const { row, load } of measured)
      row.half.push(await runWrk({ ...load, connections: waiting, seconds, pause }));
  return measured.map(({ row }) => row);
}

export function middle(results: readonly WrkResults[], name: keyof WrkResults): number {
  return median(results.map((one) => one[name]));
}

const formatCount = (count: number) => Math.round(count).toLocaleString("en-US");

function formatRows(rows: readonly Row[]): string {
  const lines = rows.map(({ kind, host, full, half }) => {
    const nginx = rows.find((row) => row.kind === kind && row.host === "nginx, plain")?.full;
    const share = (name: "perSecond" | "cpuMicroseconds") =>
      nginx === undefined ? "–" : (middle(full, name) / middle(nginx, name)).toFixed(2);
    return [
      kind,
      host,
      formatCount(middle(full, "perSecond")),
      share("perSecond"),
      middle(full, "cpuMicroseconds").toFixed(1),
      share("cpuMicroseconds"),
      middle(half, "p50").toFixed(2),
      `${middle(half, "p99").toFixed(2)} at ${formatCount(middle(half, "perSecond"))}/s`,
    ];
  });
  const head = [
    "",
    "host",
    "per second",
    "÷ plain nginx",
    "CPU µs each",
    "÷ plain nginx",
    "p50 ms",
    "p99 ms",
  ];
  return formatTable(head, lines, 2);
}

/**
 * Measures how much two workers answer compared with one. Each core has a worker and its part of the load, because a machine
 * of two cores has none left for the load.
 */
export async function measureWorkers(corpus: Corpus, paths: string): Promise<string> {
  const rates: Record<string, number[]> = { "1": [], "2": [] };
  for (let round = 0; round < rounds; round++) {
    for (const [workers, results] of Object.entries(rates)) {
      const server = await BenchServer.start(corpus.data, { WORKERS: workers });
      const cores = workers === "1" ? "0" : "0,1";
      const load = { origin: server.origin, paths, threads: Number(workers), cores, pause: 0 };
      try {
        pin(server.pid, cores);
        for (const time of [3, seconds]) {
          const { perSecond } = await runWrk({
            ...load,
            connections: connections * Number(workers),
            seconds: time,
          });
          if (time === seconds) results.push(perSecond);
        }
      } finally {
        await server.stop();
      }
    }
  }
  const [one = [], two = []] = Object.values(rates);
  return (
    `With \`WORKERS=2\` on two cores, each with half of the load generator, the server sends ${formatCount(median(two))} hits per second; ` +
    `with one worker on one core and the same load, ${formatCount(median(one))}: ${(median(two) / median(one)).toFixed(2)} times.`
  );
}
