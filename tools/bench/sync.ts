// Measures a sync against the floor at three sizes, which show the cost per row, and an ordinary night.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { amendScript, mainScript, sampleScript } from "./corpus.ts";
import type { BenchPart } from "./part.ts";
import { type Measured, measure } from "./process.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

const floorScript = fileURLToPath(new URL("./floor.ts", import.meta.url));

const runsDefault = 3;
const runsOfLarge = 1;
const largeRows = 5_000_000;

export const syncPart: BenchPart = {
  title: "Sync",
  async run({ settings, folder, print }) {
    const { rows } = settings;
    const sizes = [...new Set([Math.ceil(rows / 25), Math.ceil(rows / 5), rows])];
    const measured: SyncRow[] = [];
    for (const size of sizes) {
      const runs = settings.runs ?? (size > largeRows ? runsOfLarge : runsDefault);
      print(`sync: ${size} rows, ${runs} runs`);
      measured.push(await benchSize(join(folder, `sync-${size}`), size, runs));
      print(formatSyncTable(measured)); // a larger sync may fail
    }
    return `Whole processes, run in turn. The floor is DuckDB alone: it sorts the same Parquet into one file of JSON lines. Ratios are
medians (minimum–maximum). An ordinary night is the sync after 1 % of the funders changed.

${formatSyncTable(measured)}`;
  },
};

/** Processes of one size, each as often as there are runs. */
type SyncRow = {
  readonly rows: number;
  readonly floor: Measured[];
  readonly first: Measured[];
  readonly night: Measured[];
};

/** Measures the floor, a first sync and an ordinary night in turn, `runs` times. */
async function benchSize(folder: string, size: number, runs: number): Promise<SyncRow> {
  const [warehouse, changed] = [join(folder, "warehouse"), join(folder, "changed")];
  await measure(sampleScript, [], { ROWS: String(size), SEED: "1", OUT: warehouse });
  await measure(amendScript, [warehouse, changed], {});
  const row: SyncRow = { rows: size, floor: [], first: [], night: [] };
  for (let run = 0; run < runs; run++) {
    const work = join(folder, `run-${run}`);
    const DATA = join(work, "data");
    await mkdir(work, { recursive: true });
    row.floor.push(await measure(floorScript, [warehouse, work], {}));
    await rm(join(work, "floor.ndjson"));
    row.first.push(await measure(mainScript, ["sync"], { WAREHOUSE: warehouse, DATA }));
    row.night.push(await measure(mainScript, ["sync"], { WAREHOUSE: changed, DATA }));
    await rm(work, { recursive: true });
  }
  await rm(folder, { recursive: true });
  return row;
}

/** Formats the results as a Markdown table. */
function formatSyncTable(rows: readonly SyncRow[]): string {
  const lines = rows.map(({ rows: size, floor, first, night }) => [
    size.toLocaleString("en-US"),
    formatMedian(floor, secondsOf),
    formatMedian(first, secondsOf),
    formatRatios(first, floor, cpuOf),
    ((median(first.map(cpuOf)) / size) * 1e6).toFixed(1),
    (Math.max(...first.map((run) => run.peakBytes)) / 1e9).toFixed(2),
    formatRatios(night, first, cpuOf),
  ]);
  const head = [
    "rows",
    "floor s",
    "sync s",
    "CPU ÷ floor",
    "CPU µs per row",
    "peak memory GB",
    "CPU of an ordinary night ÷ first",
  ];
  return formatTable(head, lines);
}

function secondsOf({ seconds }: Measured): number {
  return seconds;
}

function cpuOf({ cpuSeconds }: Measured): number {
  return cpuSeconds;
}

function formatMedian(runs: readonly Measured[], of: (run: Measured) => number): string {
  return median(runs.map(of)).toFixed(1);
}

/** Median, minimum and maximum of the pairwise ratios. */
function formatRatios(
  runs: readonly Measured[],
  others: readonly Measured[],
  of: (run: Measured) => number,
): string {
  const ratios = runs.map((run, index) => of(run) / of(others[index] ?? run));
  const [middle, low, high] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  if (runs.length === 1) return middle.toFixed(2);
  return `${middle.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
