// Measures a sync against the floor at three sizes, which show the cost per row, and a typical night.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parts } from "../../api-static/release/layout.ts";
import { findCurrent } from "../../pipeline/releases/current.ts";
import { listReleases, releaseFolder } from "../../pipeline/releases/folders.ts";
import { mainScript, makeCorpus, sampleScript } from "./corpus.ts";
import type { BenchContext, BenchPart } from "./part.ts";
import { type Measured, measure } from "./process.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

const floorScript = fileURLToPath(new URL("./floor.ts", import.meta.url));
const buildIndexScript = fileURLToPath(new URL("./buildIndex.ts", import.meta.url));
const amendScript = fileURLToPath(new URL("./amend.ts", import.meta.url));

/** Default number of runs: the page files of every run stay until the end, 10 GB at 20 million rows. */
const runsDefault = 3;
const runsOfLarge = 1;
const largeRows = 5_000_000;

export const syncPart: BenchPart = {
  title: "Sync",
  titleAlone: "Sync alone",
  async run(context) {
    const { settings, folder, print } = context;
    const { rows } = settings;
    if (settings.peers.length === 0) return benchAlone(context);
    const sizes = [...new Set([Math.ceil(rows / 25), Math.ceil(rows / 5), rows])];
    const work = join(folder, "sync");
    const measured: SyncRow[] = [];
    for (const size of sizes) {
      const runs = settings.runs ?? (size > largeRows ? runsOfLarge : runsDefault);
      print(`sync: ${size} rows, ${runs} runs`);
      measured.push(await benchSize(work, size, runs));
    }
    await rm(work, { recursive: true });
    return `Whole processes, run in turn. The floor is DuckDB alone: it sorts the same Parquet into one file of JSON lines. Ratios are
taken pair by pair: median (minimum–maximum). The last columns compare a sync after 1 % of the funders changed with one that
writes every page again (\`FORCE=1\`).

${formatSyncTable(measured)}`;
  },
};

/** Measures one sync at each of three sizes, without floor and downloads. The disk needs room for one release, which other parts use too. */
async function benchAlone({ settings: { rows }, folder, corpus, print }: BenchContext): Promise<string> {
  const work = join(folder, "sync");
  const columns = ["rows", "s", "CPU s", "CPU µs per row", "peak memory GB"];
  const lines: string[][] = [];
  const add = (size: number, { seconds, cpuSeconds, peakBytes }: Measured) => {
    const line = [
      size.toLocaleString("en-US"),
      ...[seconds.toFixed(0), cpuSeconds.toFixed(0), ((cpuSeconds / size) * 1e6).toFixed(1)],
      (peakBytes / 1e9).toFixed(2),
    ];
    lines.push(line);
    print(columns.map((column, index) => `${column} ${line[index]}`).join(", ")); // a larger sync may fail
  };
  for (const size of [Math.ceil(rows / 25), Math.ceil(rows / 5)]) {
    print(`sync: ${size} rows`);
    add(size, (await makeCorpus(work, size, false)).sync);
    await rm(work, { recursive: true });
  }
  print(`sync: ${rows} rows`);
  add(rows, (await corpus()).sync);
  return `One sync at each size, as a whole process, without downloads (\`DOWNLOADS=0\`).

${formatTable(columns, lines)}`;
}

export type SyncRow = {
  readonly rows: number;
  readonly floor: readonly Measured[];
  readonly sync: readonly Measured[];
  /** Processor seconds of building the index alone. */
  readonly index: readonly number[];
  /** Syncs after 1 % of the funders changed, and forced syncs of the same warehouse. */
  readonly amended: readonly Measured[];
  readonly forced: readonly Measured[];
};

/**
 * Measures floor and sync in turn at one size, `runs` times. Each run writes into a separate folder, and only the few
 * large files are removed afterwards: file systems create files slowly right after many were removed.
 */
async function benchSize(folder: string, size: number, runs: number): Promise<SyncRow> {
  const warehouse = join(folder, `warehouse-${size}`);
  const changed = join(folder, `changed-${size}.parquet`);
  await measure(sampleScript, [], { ROWS: String(size), SEED: "1", OUT: warehouse });
  await measure(amendScript, [warehouse, changed], {});
  const row = { rows: size, index: [] as number[], floor: [], sync: [], amended: [], forced: [] } as {
    rows: number;
    index: number[];
  } & Record<"floor" | "sync" | "amended" | "forced", Measured[]>;
  for (let run = 0; run < runs; run++) {
    const work = join(folder, `run-${size}-${run}`);
    const data = join(work, "data");
    await mkdir(work, { recursive: true });
    row.floor.push(await measure(floorScript, [warehouse, work], {}));
    await rm(join(work, "floor.ndjson"));
    row.index.push(await measureIndex(warehouse, join(work, "index")));
    row.sync.push(await measure(mainScript, ["sync"], { WAREHOUSE: warehouse, DATA: data, KEEP: "9" }));
    row.amended.push(await measure(mainScript, ["sync"], { WAREHOUSE: changed, DATA: data, KEEP: "9" }));
    await stripReleases(data, (await findCurrent(data))?.id);
    row.forced.push(
      await measure(mainScript, ["sync"], { WAREHOUSE: changed, DATA: data, KEEP: "9", FORCE: "1" }),
    );
    await stripReleases(data, undefined);
  }
  return row;
}

async function measureIndex(warehouse: string, folder: string): Promise<number> {
  const { stdout } = await measure(buildIndexScript, [warehouse, folder], {});
  await rm(folder, { recursive: true });
  return JSON.parse(stdout).cpuSeconds;
}

/** Removes the large files of all releases except one. */
async function stripReleases(data: string, kept: string | undefined): Promise<void> {
  for (const id of await listReleases(data)) {
    if (id === kept) continue;
    for (const part of [parts.records, parts.offsets, parts.index])
      await rm(join(releaseFolder(data, id), part), { force: true });
  }
}

/** Formats the results as a Markdown table. */
function formatSyncTable(rows: readonly SyncRow[]): string {
  const lines = rows.map(({ rows: size, floor, sync, index, amended, forced }) => [
    size.toLocaleString("en-US"),
    median(secondsOf(floor)).toFixed(1),
    median(secondsOf(sync)).toFixed(1),
    formatRatios(sync, floor),
    formatCpu(floor, sync),
    formatIndex(index, floor),
    ((median(secondsOf(sync)) / size) * 1e6).toFixed(2),
    (Math.max(...sync.map((run) => run.peakBytes)) / 1e9).toFixed(2),
    formatRatios(amended, forced),
    formatCpu(amended, forced),
  ]);
  const head = [
    "rows",
    "floor s",
    "sync s",
    "sync ÷ floor",
    "CPU s, floor / sync",
    "CPU s of the index, and ÷ floor",
    "µs per row",
    "peak memory GB",
    "1 % changed ÷ forced",
    "CPU s, 1 % changed / forced",
  ];
  return formatTable(head, lines);
}

function secondsOf(runs: readonly Measured[]): number[] {
  return runs.map((run) => run.seconds);
}

/** Medians of processor time. */
function formatCpu(...all: readonly (readonly Measured[])[]): string {
  return all.map((runs) => median(runs.map((run) => run.cpuSeconds)).toFixed(1)).join(" / ");
}

/** Median of the index's processor time, and of its ratio to that of the floor of the same run. */
function formatIndex(index: readonly number[], floor: readonly Measured[]): string {
  const ratios = index.map((seconds, run) => seconds / (floor[run]?.cpuSeconds ?? Number.NaN));
  return `${median(index).toFixed(1)}, ${median(ratios).toFixed(2)}`;
}

/** Median, minimum and maximum of the pairwise ratios. */
function formatRatios(runs: readonly Measured[], others: readonly Measured[]): string {
  const ratios = runs.map((run, index) => run.seconds / (others[index]?.seconds ?? Number.NaN));
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
}
