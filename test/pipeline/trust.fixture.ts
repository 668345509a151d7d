// Makes small warehouses, runs syncs in this process and in others, compares releases by content, and reseals changed ones.
import type { ChildProcess } from "node:child_process";
import { readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect } from "vitest";
import { downloadKey, downloadNames } from "../../api-static/contract/answers/downloads.ts";
import {
  formatPageRow,
  funderRowBytes,
  parts,
  readFunderRow,
  readListedKeys,
} from "../../api-static/release/layout.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { digestParts, type Manifest, readManifest, writeManifest } from "../../pipeline/releases/manifest.ts";
import { pageFilePath } from "../../pipeline/releases/pageFile.ts";
import { removePruned } from "../../pipeline/releases/retention.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { listFunderPages } from "../../pipeline/verify/files.ts";
import { checkRelease } from "../../pipeline/verify/verify.ts";
import { digestFolder, type Ended, fewThreads, noSearches, spawnCommand } from "./release.fixture.ts";
import { smallSite } from "./smallSite.ts";

/** Columns of rows `i`, spread over this many funders from 100000000 on. */
export function spread(funders: number): Record<string, string> {
  return {
    id: "i",
    funder_ein: `100000000 + i % ${funders}`,
    transaction_year: "2015 + i % 7",
    recipient_name: "'School ' || i % 11",
    recipient_ein: "CASE WHEN i % 3 > 0 THEN 200000000 + i % 17 END",
    amount: "(i * 37 % 1000 + 0.25)::DECIMAL(18,2)",
    purpose: "'PURPOSE ' || i % 13",
  };
}

/**
 * What a release holds: a digest of every file, and of the index's content, because its bytes differ from run to run.
 * Without the files that also depend on the time and on the previous release, or that name their release.
 */
export async function digestContent(release: string): Promise<Record<string, string>> {
  const digests = await digestFolder(release);
  for (const part of [parts.manifest, parts.report, parts.changes, parts.matchesFile]) {
    expect(digests[part]).toBeDefined();
    delete digests[part];
  }
  // The downloads name their release, except the CSV file.
  for (const name of downloadNames)
    if (name !== "grants.csv.gz") delete digests[join(parts.public, downloadKey(name))];
  return { ...digests, [parts.index]: await digestIndex(join(release, parts.index)) };
}

/** The tables of an index: their columns, and a digest of their rows and the order of these. */
async function digestIndex(path: string): Promise<string> {
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY", threads: "1" });
  const connection = await instance.connect();
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  try {
    const columns =
      await read(`SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index)
      FROM duckdb_columns() WHERE NOT internal GROUP BY table_name ORDER BY table_name`);
    const tables = columns.map(async ([table, types]) => {
      const rows = await read(
        `SELECT count(*), sum(md5_number_lower((t, rowid)::VARCHAR)::HUGEINT) FROM ${table} AS t`,
      );
      return `${table} (${types}): ${rows.join()}`;
    });
    return (await Promise.all(tables)).join("\n");
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The folder of the current release. */
export async function findRelease(data: string): Promise<string> {
  return join(data, await readlink(join(data, "current")));
}

/** Runs a sync in this process, removes pruned releases as the command does, and returns the folder of the current release. */
export async function syncHere(
  warehouse: string,
  data: string,
  environment: Readonly<Record<string, string>> = {},
  site = smallSite,
): Promise<string> {
  const settings = readSyncSettings({
    WAREHOUSE: warehouse,
    DATA: data,
    ...fewThreads,
    ...noSearches,
    ...environment,
  });
  const progress = new Progress({ write: () => true }, () => performance.now());
  await sync(settings, { progress, clock: () => new Date(), site });
  await removePruned(data, () => {});
  return findRelease(data);
}

export type Started = { readonly child: ChildProcess; readonly ended: Promise<Ended> };

/** Starts a pipeline command as a process; `hear` is called with all of its standard error so far. */
export function startCommand(
  command: string,
  environment: Readonly<Record<string, string>>,
  hear: (stderr: string, child: ChildProcess) => void = () => {},
): Started {
  const child = spawnCommand([command], environment);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    hear(stderr, child);
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      // Processes that a killed sync started may keep the pipes open, so the rest of its output is not awaited.
      if (code === null) resolve({ code, stdout, stderr });
    });
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

/** Verifies a release and returns its problems; "" if there are none. */
export async function findProblems(folder: string): Promise<string> {
  try {
    await checkRelease(folder, { memory: "1GB", threads: 1, spillFolder: "" }, () => {});
    return "";
  } catch (error) {
    expect(error).toMatchObject({ name: "InputError" });
    return String(error instanceof Error ? error.message : error).replaceAll(`${folder}/`, "");
  }
}

/** Reseals a release's folder with its present content: new digests of pages and parts, and the given facts. */
export async function sealAgain(folder: string, facts: Partial<Manifest> = {}): Promise<void> {
  const before = await readManifest(folder);
  const rows: Buffer[] = [];
  const read = (part: string) => readFile(join(folder, part));
  const listed = readListedKeys(await read(parts.searches), await read(parts.names));
  for (const key of [...listFunderPages(await read(parts.funders)), ...listed])
    rows.push(formatPageRow(await readFile(join(folder, pageFilePath(key)))));
  await writeFile(join(folder, parts.pages), Buffer.concat(rows));
  const sealed = { ...before, ...facts };
  await writeManifest(folder, { ...sealed, parts: await digestParts(folder) });
}

/** The number of records of each funder of a release, by EIN. */
export async function readFunders(folder: string): Promise<Map<number, number>> {
  const table = await readFile(join(folder, parts.funders));
  return new Map(
    Array.from({ length: table.length / funderRowBytes }, (_, index) => {
      const { ein, records } = readFunderRow(table, index);
      return [ein, records] as const;
    }),
  );
}

/** Expects nothing in a data folder except releases, their changes, the link, the lock, the metrics and the named entries. */
export async function expectNoLeftovers(data: string, ...others: string[]): Promise<void> {
  // The command writes the metrics; its next run replaces them and their draft.
  const own = [
    ...["sync.lock", "metrics.prom", "metrics.prom.next", "run.json", "run.json.next"],
    ...[
      "publish.prom",
      "publish.prom.next",
      "pull.prom",
      "pull.prom.next",
      "pull-share.txt",
      "pull-share.txt.next",
    ],
    ...["rollbacks.json", "rollback-changes.json"],
  ];
  const names = (await readdir(data)).filter((name) => !own.includes(name));
  expect(names.sort()).toEqual(["changes", "current", "releases", ...others].sort());
}
