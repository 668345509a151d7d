// Owns `make bench`: runs the benchmarks, prints their tables and writes them to docs/benchmarks.md.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import duckdb from "@duckdb/node-api";
import { benchSync, formatSyncTable } from "./sync.ts";

const rows = readRows(process.env.ROWS ?? "1000000");
const runs = readRows(process.env.RUNS ?? "3");
const folder = await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), "grants-bench-"));
try {
  const sizes = [...new Set([Math.ceil(rows / 5), rows])];
  const table = formatSyncTable(await benchSync(folder, sizes, runs));
  const text = `# Benchmarks

Written by \`make bench ROWS=${rows} RUNS=${runs}\`: ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB,
Node.js ${process.versions.node}, DuckDB ${duckdb.version()}. Whole processes, run in turn; read the ratios, the machine is noisy.

## Sync

The floor is DuckDB alone: the same Parquet sorted into one file of JSON lines. Ratios are pair by pair: median (least–most).
The last column: a sync of a warehouse in which 1 % of funders changed, against one that makes every page again (\`FORCE=1\`).

${table}
`;
  console.log(text);
  await mkdir("docs", { recursive: true });
  await writeFile("docs/benchmarks.md", text);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function readRows(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`ROWS and RUNS must be positive integers, got "${text}"`);
  return value;
}
