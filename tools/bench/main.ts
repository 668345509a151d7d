// Runs `make bench`: measures the requested parts, prints each section and writes it into docs/benchmarks.md.
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import duckdb from "@duckdb/node-api";
import { makeCorpus } from "./corpus.ts";
import { followersPart } from "./followers.ts";
import { irsPart } from "./irs.ts";
import { loadPart } from "./load.ts";
import { matchesPart } from "./matches.ts";
import { namesPart } from "./names.ts";
import { putSection } from "./page.ts";
import type { BenchContext, BenchPart } from "./part.ts";
import { peerNames } from "./peers/names.ts";
import { placesPart } from "./places.ts";
import { publishPart } from "./publish.ts";
import { searchPart } from "./search.ts";
import { formatCommand, readBenchSettings } from "./settings.ts";
import { syncPart } from "./sync.ts";

/** In the order of the document, which is also the order of measurement. */
const benchParts: Readonly<Record<string, BenchPart>> = {
  sync: syncPart,
  followers: followersPart,
  matches: matchesPart,
  search: searchPart,
  places: placesPart,
  names: namesPart,
  load: loadPart,
  irs: irsPart,
  publish: publishPart,
};

const pagePath = "docs/benchmarks.md";

const settings = readBenchSettings(process.env, { parts: Object.keys(benchParts), peers: peerNames });
const folder = await mkdtemp(join(settings.folder, "grants-bench-"));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => rm(folder, { recursive: true, force: true }).finally(() => process.exit(1)));
}
try {
  await chmod(folder, 0o711); // PostgreSQL runs as another user in a subfolder
  const corpus = lazily(() => makeCorpus(folder, settings.rows));
  const print = (line: string) => console.error(line);
  for (const name of settings.parts) await runPart(name, { settings, folder, corpus, print });
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function runPart(name: string, context: BenchContext): Promise<void> {
  const part = benchParts[name];
  if (part === undefined) throw new Error(`unknown part ${name}`);
  const measured = await part.run(context);
  if (measured === undefined) return;
  const text = `${formatOrigin(formatCommand(settings, name))}\n\n${measured}`;
  const title = (settings.peers.length === 0 ? part.titleAlone : undefined) ?? part.title;
  console.log(`## ${title}\n\n${text}\n`);
  const titles = Object.values(benchParts)
    .flatMap(({ title, titleAlone }) => [title, titleAlone])
    .filter((known) => known !== undefined);
  await mkdir("docs", { recursive: true });
  await writeFile(pagePath, putSection(await readPage(), titles, title, text));
}

/** How a section was measured: command, day, machine and versions. */
function formatOrigin(command: string): string {
  const [core] = cpus();
  return (
    `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, on ${cpus().length} cores (${core?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `Node.js ${process.versions.node}, DuckDB ${duckdb.version()}.`
  );
}

async function readPage(): Promise<string> {
  return readFile(pagePath, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
}

/** Makes a value on first use, once. */
function lazily<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let made: Promise<Thing> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
