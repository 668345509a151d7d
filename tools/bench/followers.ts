// Measures what a sync spends on those who follow the data: on downloads, and on the changes of a night.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { amendScript, mainScript, sampleScript } from "./corpus.ts";
import type { BenchPart } from "./part.ts";
import { measure } from "./process.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

const downloadsScript = fileURLToPath(new URL("./writeDownloads.ts", import.meta.url));
const compareScript = fileURLToPath(new URL("./compareReleases.ts", import.meta.url));

const runsDefault = 3;

/** Processor seconds. */
type Run = {
  readonly sync: number;
  readonly downloads: number;
  readonly changes: number;
  readonly changed: number;
};

export const followersPart: BenchPart = {
  title: "Downloads and changes",
  async run({ settings: { rows, runs = runsDefault }, folder, print }) {
    const work = join(folder, "followers");
    const [warehouse, changed] = [join(work, "warehouse"), join(work, "changed")];
    await measure(sampleScript, [], { ROWS: String(rows), SEED: "1", OUT: warehouse });
    await measure(amendScript, [warehouse, changed], {});
    const measured: Run[] = [];
    for (let run = 0; run < runs; run++) {
      print(`followers: run ${run + 1} of ${runs}`);
      measured.push(await runOnce(work, warehouse, changed));
    }
    await rm(work, { recursive: true });
    return formatRuns(rows, measured);
  },
};

async function runOnce(work: string, warehouse: string, changed: string): Promise<Run> {
  const data = join(work, "data");
  const sync = (WAREHOUSE: string) => measure(mainScript, ["sync"], { WAREHOUSE, DATA: data });
  const alone = join(work, "downloads");
  const downloads = await measure(downloadsScript, [warehouse, alone], {});
  await rm(alone, { recursive: true });
  const first = await sync(warehouse);
  await sync(changed);
  const { stdout } = await measure(compareScript, [data, join(work, "changes")], {});
  const { cpuSeconds, counts } = JSON.parse(stdout);
  await rm(data, { recursive: true });
  return {
    sync: first.cpuSeconds,
    downloads: JSON.parse(downloads.stdout).cpuSeconds,
    changes: cpuSeconds,
    changed: counts.added + counts.changed + counts.removed,
  };
}

function formatRuns(rows: number, runs: readonly Run[]): string {
  const of = (value: (run: Run) => number) => median(runs.map(value));
  const lines = [
    ["a sync", of(({ sync }) => sync).toFixed(1), ""],
    [
      "the downloads",
      of(({ downloads }) => downloads).toFixed(1),
      share(of(({ downloads, sync }) => downloads / sync)),
    ],
    [
      `the changes of a night, ${of(({ changed }) => changed).toLocaleString("en-US")} grants`,
      of(({ changes }) => changes).toFixed(1),
      share(of(({ changes, sync }) => changes / sync)),
    ],
  ];
  return `Processor time at ${rows.toLocaleString("en-US")} rows, medians of ${runs.length} runs. Downloads and changes are measured alone. In the night, 1 % of the
funders change.

${formatTable(["part", "CPU s", "share of a sync"], lines, 1)}`;
}

function share(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
