// Runs the pipeline's commands for tests, and reads a release back from its page files.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { main } from "../../pipeline/main.ts";
import { inherited } from "../inherited.ts";
import { smallSite } from "./smallSite.ts";

export const checkout = fileURLToPath(new URL("../..", import.meta.url));
export const builtSite = join(checkout, "site/dist");

/** No page files for searches: most tests are about something else, and count files. */
export const noSearches = { SEARCH_PAGES: "0", SEARCH_LARGE_PAGES: "0" };

/** Page files for a few searches of each kind. */
export const fewSearches = {
  ...{ SEARCH_PAGES: "2", SEARCH_LARGE_PAGES: "1" },
  ...{ SEARCH_RECIPIENTS: "3", SEARCH_PURPOSES: "3", SEARCH_LEARNED: "5" },
};

/** Most syncs in tests have so few rows that a second thread costs more than it saves. */
export const fewThreads = { THREADS: "1" };

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a pipeline command in this process: its messages and exit code without the start of a process. */
export async function runCommand(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  const code = await main(
    command,
    { ...fewThreads, ...noSearches, ...environment },
    {
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { write: (text: string) => (stderr += text) },
    },
    smallSite,
  );
  return { code, stdout, stderr };
}

/** Starts a pipeline command as a process; `through` is a command line that runs the rest of its arguments. */
export function spawnCommand(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  through: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", "test/pipeline/command.ts"];
  const [program = "", ...rest] = [...through, ...node, ...command];
  return spawn(program, rest, {
    cwd: checkout,
    env: { ...inherited(), ...fewThreads, ...noSearches, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 100_000,
  });
}

/** Runs a pipeline command as a process, as `make` does. */
export function runProcess(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Promise<Ended> {
  const child = spawnCommand(command, environment, through);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs a sync in this process and expects it to succeed; returns the folder of the current release. */
export async function syncRelease(
  warehouse: string,
  data: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const ended = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data, ...environment });
  expect(ended.code, ended.stderr).toBe(0);
  return join(data, await readlink(join(data, "current")));
}

/** SHA-256 of every file below a folder and the target of every link, by path. The metrics are omitted, because every run writes them, and so are changes, which are not part of a release. */
export async function digestFolder(folder: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (["metrics.prom", "run.json"].includes(name) || name.includes("public/v1/changes/")) continue;
    if (found.isSymbolicLink()) digests[name] = `-> ${await readlink(path)}`;
    else if (found.isFile())
      digests[name] = createHash("sha256")
        .update(await readFile(path))
        .digest("hex");
  }
  return digests;
}

/** Like `digestFolder`, for the link to the current release and for all releases of a data folder. */
export async function digestReleases(data: string): Promise<Record<string, string>> {
  const digests = Object.entries(await digestFolder(data));
  return Object.fromEntries(digests.filter(([path]) => path === "current" || path.startsWith("releases/")));
}

const parseTagged = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** A record's keys and values in order. Numbers keep their spelling: `#50000.00` is a number, `$text` a text. */
function tagRecord(line: string): string {
  const record = parseTagged(line, (_, value, { source }) => {
    if (typeof value === "number") return `#${source}`;
    return typeof value === "string" ? `$${value}` : value;
  });
  return JSON.stringify(record);
}

/** A funder's records by page size, tagged, page after page. No records at 1000 if the funder has at most 100. */
export type Walked = Map<string, { 100: string[]; 1000: string[] }>;

/** Reads every page file of a release's funders. Expects each to be well formed and no page to be missing or unexpected. */
export async function walkPages(release: string): Promise<{ funders: Walked; files: number }> {
  const root = join(release, "public/v1/funders");
  const funders: Walked = new Map();
  let files = 0;
  for (const ein of (await readdir(root)).sort()) {
    const folder = join(root, ein);
    const pages = { 100: [] as string[], 1000: [] as string[] };
    const names = await readdir(folder);
    for (const size of [100, 1000] as const) {
      const offsets = names.flatMap((name) => {
        const [, limit, offset] = /^history-(\d+)-(\d+)\.json\.gz$/.exec(name) ?? [];
        return Number(limit) === size ? [Number(offset)] : [];
      });
      offsets.sort((a, b) => a - b);
      const bodies = await Promise.all(
        offsets.map((offset) => readFile(join(folder, `history-${size}-${offset}.json.gz`))),
      );
      const total = bodies.length === 0 ? 0 : readTail(gunzipSync(bodies[0] ?? "").toString());
      expect(bodies.length > 0).toBe(size === 100 || pages[100].length > 100);
      expect(offsets).toEqual(Array.from({ length: Math.ceil(total / size) }, (_, page) => page * size));
      for (const [page, body] of bodies.entries()) {
        const records = readBody(gunzipSync(body).toString(), total, size, page * size);
        for (const record of records) pages[size].push(record);
      }
      files += bodies.length;
      expect(pages[size].length).toBe(total);
    }
    if (pages[1000].length > 0) expect(pages[1000]).toEqual(pages[100]);
    expect(names.length).toBe(Math.ceil(pages[100].length / 100) + Math.ceil(pages[1000].length / 1000));
    funders.set(ein, pages);
  }
  return { funders, files };
}

function readTail(body: string): number {
  return Number(/\n\],"total":(\d+),/.exec(body)?.[1]);
}

function readBody(body: string, total: number, limit: number, offset: number): string[] {
  const lines = body.split("\n");
  expect(lines.shift()).toBe('{"success":true,"data":[');
  expect(lines.pop()).toBe("");
  expect(lines.pop()).toBe(`],"total":${total},"limit":${limit},"offset":${offset}}`);
  expect(lines.length).toBe(Math.min(limit, total - offset));
  return lines.map((line, index) => tagRecord(index < lines.length - 1 ? line.replace(/,$/, "") : line));
}
