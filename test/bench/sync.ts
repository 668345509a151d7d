// Owns the benchmark of a sync: against the floor in the same run, at sizes that show the cost of a row.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Measured, measure, median } from "./process.ts";

const floorScript = fileURLToPath(new URL("./floor.ts", import.meta.url));
const mainScript = fileURLToPath(new URL("../../pipeline/main.ts", import.meta.url));

export type SyncRow = {
  readonly rows: number;
  readonly floor: readonly Measured[];
  readonly sync: readonly Measured[];
};

/**
 * Measures floor and sync in turn at each size, `runs` times. Every run writes into a folder of its own and nothing is
 * removed before the end: file systems are slow at making files right after many were removed.
 */
export async function benchSync(folder: string, sizes: readonly number[], runs: number): Promise<SyncRow[]> {
  const rows: SyncRow[] = [];
  for (const size of sizes) {
    const warehouse = join(folder, `warehouse-${size}`);
    await measure(mainScript, ["sample"], { ROWS: String(size), SEED: "1", OUT: warehouse });
    const floor: Measured[] = [];
    const sync: Measured[] = [];
    for (let run = 0; run < runs; run++) {
      const work = join(folder, `run-${size}-${run}`);
      await mkdir(work, { recursive: true });
      floor.push(await measure(floorScript, [warehouse, work], {}));
      await rm(join(work, "floor.ndjson"));
      sync.push(await measure(mainScript, ["sync"], { WAREHOUSE: warehouse, DATA: join(work, "data") }));
    }
    rows.push({ rows: size, floor, sync });
  }
  return rows;
}

/** The figures as a Markdown table. */
export function formatSyncTable(rows: readonly SyncRow[]): string {
  const lines = rows.map(({ rows: size, floor, sync }) => {
    const ratios = sync.map((run, index) => run.seconds / (floor[index]?.seconds ?? Number.NaN));
    const seconds = median(sync.map((run) => run.seconds));
    return [
      size.toLocaleString("en-US"),
      median(floor.map((run) => run.seconds)).toFixed(1),
      seconds.toFixed(1),
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      median(sync.map((run) => run.cpuSeconds)).toFixed(1),
      ((seconds / size) * 1e6).toFixed(2),
      (Math.max(...sync.map((run) => run.peakBytes)) / 1e9).toFixed(2),
    ];
  });
  return formatTable(
    [
      "rows",
      "floor s",
      "sync s",
      "sync ÷ floor, median (least–most)",
      "sync CPU s",
      "µs a row",
      "peak memory GB",
    ],
    lines,
  );
}

export function formatTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---:"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
