// Makes the part of each source: its returns and grants as Parquet, which later runs reuse.
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { flushTree, listIfPresent } from "../base/files.ts";
import { endBlocks, runInThreads, shareBlocks } from "../base/threads.ts";
import type { Draft, ReadBlock, ReadInput } from "./draftReader.ts";
import { type Loss, openSource } from "./members.ts";
import { writeParquet } from "./parquet.ts";
import { grantColumns, returnColumns } from "./rows.ts";
import type { Source } from "./sources.ts";

/** Increase it with every change to the reading of returns: parts of other versions are made again. */
export const importerVersion = 4;

/** Files of a part. */
export const partFiles = { returns: "returns.parquet", grants: "grants.parquet" } as const;

/** The folder of a source's part. */
export function partFolder(parts: string, { digest }: Source): string {
  return join(parts, `v${importerVersion}-${digest}`);
}

/** The sources that have no part yet. */
export async function findMissing(parts: string, sources: readonly Source[]): Promise<Source[]> {
  const present = new Set(await listIfPresent(parts));
  return sources.filter((source) => !present.has(`v${importerVersion}-${source.digest}`));
}

/**
 * Removes the parts of this version that no digest names, e.g., of a zip that was replaced. Call it only after an import has
 * succeeded.
 * @param digests those of `findKnownDigests`
 */
export async function removeUnusedParts(parts: string, digests: ReadonlySet<string>): Promise<void> {
  const prefix = `v${importerVersion}-`;
  for (const name of await listIfPresent(parts))
    if (name.startsWith(prefix) && !digests.has(name.slice(prefix.length)))
      await rm(join(parts, name), { recursive: true });
}

/** Removes drafts of killed runs, and parts of other versions. */
export async function removeOldParts(parts: string): Promise<void> {
  for (const name of await listIfPresent(parts))
    if (!name.startsWith(`v${importerVersion}-`) || name.endsWith(".draft"))
      await rm(join(parts, name), { recursive: true });
}

/**
 * Makes empty drafts for the parts of sources.
 * @throws InputError if one is a damaged zip
 */
export async function makeDrafts(parts: string, sources: readonly Source[]): Promise<Draft[]> {
  const drafts: Draft[] = [];
  let firstBlock = 0;
  for (const source of sources) {
    const opened = openSource(source);
    opened.close();
    const { blocks, losses } = opened;
    const folder = `${partFolder(parts, source)}.draft`;
    await mkdir(folder, { recursive: true });
    await writeLosses(losses, folder);
    drafts.push({ source, folder, blocks, firstBlock });
    firstBlock += blocks;
  }
  return drafts;
}

/** Less than the default, which saves 100 MB with two threads and takes no longer, because no object outlives its return. */
const youngMegabytes = 24;

/**
 * Reads the sources of drafts, one after the other, and writes lines of JSON into the drafts.
 * @param onBlock called with each block; ends the reading if it returns false
 * @throws InputError if a source has grants that cannot have ids
 */
export async function readDrafts(
  drafts: readonly Draft[],
  threads: number,
  onBlock: (block: ReadBlock) => boolean,
): Promise<void> {
  const blocks = shareBlocks(drafts.reduce((sum, draft) => sum + draft.blocks, 0));
  const input: ReadInput = { drafts, blocks };
  const refusals: string[] = [];
  const module = new URL("./draftReader.ts", import.meta.url);
  const isLarge = drafts.some((draft) => draft.blocks > 1);
  const keep = (block: ReadBlock) => {
    if (block.refusal !== undefined) refusals.push(`${drafts[block.draft]?.source.name}: ${block.refusal}`);
    if (block.refusal !== undefined || !onBlock(block)) endBlocks(blocks);
  };
  await runInThreads(module, input, isLarge ? Math.min(threads, blocks.count) : 0, keep, youngMegabytes);
  if (refusals.length > 0) throw new InputError(`FROM: ${refusals.sort()[0]}`);
}

/** Adds a line for each file that is in no block, so that it is counted. Their members count down from -1. */
async function writeLosses(losses: readonly Loss[], draft: string): Promise<void> {
  if (losses.length === 0) return;
  const lines = losses.map((loss, index) => `${JSON.stringify({ member: -1 - index, ...loss })}\n`);
  await writeFile(join(draft, "returns-lost.ndjson"), lines.join(""));
}

/** Turns the lines of a draft into Parquet, and gives the part its name. The rows are in order of return and id. */
export async function writePart(connection: DuckDBConnection, draft: string, target: string): Promise<void> {
  const names = await readdir(draft);
  for (const [kind, columns, order] of [
    ["returns", returnColumns, "member"],
    ["grants", grantColumns, "id, member"],
  ] as const) {
    const paths = names.filter((name) => name.startsWith(`${kind}-`) && name.endsWith(".ndjson")).sort();
    const list = listValue(paths.map((name) => literalPath(join(draft, name))));
    const query = paths.length > 0 ? readLinesSql(columns) : emptySql(columns);
    const values = paths.length > 0 ? { lines: list } : {};
    await writeParquet(connection, join(draft, partFiles[kind]), `${query} ORDER BY ${order}`, values);
    for (const name of paths) await rm(join(draft, name));
  }
  await flushTree(draft);
  await rename(draft, target);
}

type Columns = Readonly<Record<string, string>>;

function readLinesSql(columns: Columns): string {
  const types = Object.entries(columns).map(([name, type]) => `${name}: '${isSum(type) ? "VARCHAR" : type}'`);
  const selected = Object.entries(columns).map(([name, type]) =>
    isSum(type) ? parseSumSql(name, type) : name,
  );
  return `SELECT ${selected.join(", ")} FROM read_json($lines, format = 'newline_delimited', columns = {${types.join(", ")}})`;
}

const isSum = (type: string) => type.startsWith("DECIMAL(24");

/** DuckDB parses a decimal beyond 18 digits at a hundredth of the speed of a shorter one, and nearly all sums are shorter. */
function parseSumSql(name: string, type: string): string {
  return `CASE WHEN length(${name}) <= 19 THEN ${name}::DECIMAL(18,2)::${type} ELSE ${name}::${type} END AS ${name}`;
}

function emptySql(columns: Columns): string {
  const nulls = Object.entries(columns).map(([name, type]) => `NULL::${type} AS ${name}`);
  return `SELECT ${nulls.join(", ")} WHERE false`;
}
