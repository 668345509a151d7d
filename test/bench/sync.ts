// Owns the benchmark of a sync: against the floor in the same run, at sizes that show the cost of a row, and of a usual night.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Measured, measure, median } from "./process.ts";
import { formatTable } from "./table.ts";

const floorScript = fileURLToPath(new URL("./floor.ts", import.meta.url));
const amendScript = fileURLToPath(new URL("./amend.ts", import.meta.url));
const mainScript = fileURLToPath(new URL("../../pipeline/main.ts", import.meta.url));

export type SyncRow = {
  readonly rows: number;
  readonly floor: readonly Measured[];
  readonly sync: readonly Measured[];
  /** Syncs of a warehouse in which 1 % of funders changed, and of the same warehouse with every page made again. */
  readonly amended: readonly Measured[];
  readonly forced: readonly Measured[];
};

/**
 * Measures floor and sync in turn at each size, `runs` times. Every run writes into a folder of its own and nothing is
 * removed before the end but the floor's one file: file systems are slow at making files right after many were removed.
 */
export async function benchSync(folder: string, sizes: readonly number[], runs: number): Promise<SyncRow[]> {
  const rows: SyncRow[] = [];
  for (const size of sizes) {
    const warehouse = join(folder, `warehouse-${size}`);
    const changed = join(folder, `changed-${size}.parquet`);
    await measure(mainScript, ["sample"], { ROWS: String(size), SEED: "1", OUT: warehouse });
    await measure(amendScript, [warehouse, changed], {});
    const row = {
      rows: size,
      floor: [] as Measured[],
      sync: [] as Measured[],
      amended: [] as Measured[],
      forced: [] as Measured[],
    };
    for (let run = 0; run < runs; run++) {
      const work = join(folder, `run-${size}-${run}`);
      const data = join(work, "data");
      await mkdir(work, { recursive: true });
      row.floor.push(await measure(floorScript, [warehouse, work], {}));
      await rm(join(work, "floor.ndjson"));
      row.sync.push(await measure(mainScript, ["sync"], { WAREHOUSE: warehouse, DATA: data, KEEP: "9" }));
      row.amended.push(await measure(mainScript, ["sync"], { WAREHOUSE: changed, DATA: data, KEEP: "9" }));
      row.forced.push(
        await measure(mainScript, ["sync"], { WAREHOUSE: changed, DATA: data, KEEP: "9", FORCE: "1" }),
      );
    }
    rows.push(row);
  }
  return rows;
}

/** The figures as a Markdown table. */
export function formatSyncTable(rows: readonly SyncRow[]): string {
  const lines = rows.map(({ rows: size, floor, sync, amended, forced }) => [
    size.toLocaleString("en-US"),
    median(secondsOf(floor)).toFixed(1),
    median(secondsOf(sync)).toFixed(1),
    formatRatios(sync, floor),
    `${median(floor.map((run) => run.cpuSeconds)).toFixed(1)} / ${median(sync.map((run) => run.cpuSeconds)).toFixed(1)}`,
    ((median(secondsOf(sync)) / size) * 1e6).toFixed(2),
    (Math.max(...sync.map((run) => run.peakBytes)) / 1e9).toFixed(2),
    formatRatios(amended, forced),
  ]);
  const head = [
    "rows",
    "floor s",
    "sync s",
    "sync ÷ floor",
    "CPU s, floor / sync",
    "µs a row",
    "peak memory GB",
    "1 % changed ÷ forced",
  ];
  return formatTable(head, lines);
}

function secondsOf(runs: readonly Measured[]): number[] {
  return runs.map((run) => run.seconds);
}

/** Median, least and most of the ratios pair by pair. */
function formatRatios(runs: readonly Measured[], others: readonly Measured[]): string {
  const ratios = runs.map((run, index) => run.seconds / (others[index]?.seconds ?? Number.NaN));
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
}
