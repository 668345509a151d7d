// Proves the records of a night without reading all of them again: copied lines are as long as in the previous release, and the others
// have the digests of their funders.
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, LIST, listValue, UINTEGER } from "@duckdb/node-api";
import {
  digestBytes,
  type FunderRow,
  funderRowBytes,
  parts,
  readFunderRow,
} from "../../api-static/release/layout.ts";
import { Records } from "../../api-static/release/records.ts";
import { type DatabaseSettings, openDatabase, sqlText } from "../base/database.ts";
import { formatFunderDigest, funderSumsSql, rowHashSql } from "../releases/funderDigests.ts";
import { hashSumSql } from "./index.ts";
import { readRecords } from "./recordRows.ts";
import { keysOfIndex, keysOfRecord } from "./records.ts";

/** The release whose lines were copied, and the EINs of the funders whose lines were not. */
export type CopiedRecords = { readonly folder: string; readonly fresh: readonly number[] };

/** Lines that are copied at a time, about 3 MB. */
const linesAtOnce = 8_192;

/** A release: its tables of funders, and its records. */
type Side = {
  readonly folder: string;
  readonly funders: Buffer;
  readonly digests: Buffer;
  readonly records: Records;
};

/** Consecutive lines of both releases, and the position of the first one in each. */
type Run = { readonly first: number; readonly before: number; lines: number };

/** A funder whose lines are fresh, with its digest. */
type FreshFunder = FunderRow & { readonly digest: Buffer };

/** `copied` has the EINs of the funders whose lines are in the runs. */
type Plan = {
  readonly runs: readonly Run[];
  readonly copied: readonly number[];
  readonly fresh: readonly FreshFunder[];
};

/**
 * True if the records in `folder` are proved right. The sync copied lines from the previous release, whose files had their sealed
 * digests then, and read back every byte that it wrote. So the copied lines are right if each run of them has as many bytes as before.
 * The other lines must have the digests of their funders. The index then has the keys of these records, and no id twice. False if
 * anything differs, whatever the cause: the previous release may be gone. All records must then be read.
 */
export async function isProvedByCopies(
  folder: string,
  copied: CopiedRecords,
  bounds: DatabaseSettings,
): Promise<boolean> {
  const sides: Side[] = [];
  try {
    for (const each of [folder, copied.folder]) sides.push(await openSide(each));
    const [after, before] = sides as [Side, Side];
    const plan = planComparison(after, before, new Set(copied.fresh));
    if (plan === undefined || !haveSameSizes(after, before, plan.runs)) return false;
    return await areFreshRight(after, before, plan, bounds);
  } catch {
    return false; // reading all records reports what is wrong, if it is the new release
  } finally {
    for (const { records } of sides) records.close();
  }
}

async function openSide(folder: string): Promise<Side> {
  const funders = await readFile(join(folder, parts.funders));
  const digests = await readFile(join(folder, parts.funderDigests));
  return { folder, funders, digests, records: Records.open(folder) };
}

/** Undefined if the number of records or the digest of a funder differs whose lines were copied. */
function planComparison(after: Side, before: Side, fresh: ReadonlySet<number>): Plan | undefined {
  const runs: Run[] = [];
  const copied: number[] = [];
  const freshFunders: FreshFunder[] = [];
  let old = 0;
  for (let index = 0; index < after.funders.length / funderRowBytes; index++) {
    const row = readFunderRow(after.funders, index);
    const digest = digestOf(after, index);
    if (fresh.has(row.ein)) {
      freshFunders.push({ ...row, digest });
      continue;
    }
    while (readFunderRow(before.funders, old).ein < row.ein) old += 1; // throws after the last funder
    const { ein, first, records } = readFunderRow(before.funders, old);
    if (ein !== row.ein || records !== row.records || !digestOf(before, old).equals(digest)) return undefined;
    copied.push(ein);
    const last = runs.at(-1);
    if (last?.before === first - (last?.lines ?? 0) && last.first === row.first - last.lines)
      last.lines += records;
    else runs.push({ first: row.first, before: first, lines: records });
  }
  return { runs, copied, fresh: freshFunders };
}

function digestOf({ digests }: Side, index: number): Buffer {
  return digests.subarray(index * digestBytes, (index + 1) * digestBytes);
}

/** True if each run of copied lines has as many bytes in both releases. */
function haveSameSizes(after: Side, before: Side, runs: readonly Run[]): boolean {
  const sizeOf = ({ records }: Side, first: number, lines: number) =>
    records.readEnd(first + lines) - records.readEnd(first);
  return runs.every((run) => sizeOf(after, run.first, run.lines) === sizeOf(before, run.before, run.lines));
}

/** Checks the other lines: their hashes must give the funders' digests, and their keys what is new in the index. */
async function areFreshRight(
  after: Side,
  before: Side,
  { copied, fresh }: Plan,
  bounds: DatabaseSettings,
): Promise<boolean> {
  await mkdir(bounds.spillFolder, { recursive: true });
  const path = join(bounds.spillFolder, "fresh");
  const { instance, connection } = await openDatabase(bounds); // a separate one, because a damaged index may end it
  try {
    await copyLines(after.records, fresh, path);
    const lines = await readRecords(after.folder, path);
    return (
      (await areDigestsRight(connection, lines, fresh)) &&
      (await areKeysRight(connection, lines, copied, after, before))
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(path, { force: true });
  }
}

/** Writes the lines of some funders into a file. */
async function copyLines(records: Records, funders: readonly FunderRow[], path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (const { first, records: count } of funders)
      for (let done = 0; done < count; done += linesAtOnce)
        await file.appendFile(records.readRange(first + done, first + Math.min(count, done + linesAtOnce)));
  } finally {
    await file.close();
  }
}

type Lines = Awaited<ReturnType<typeof readRecords>>;

async function areDigestsRight(
  connection: DuckDBConnection,
  { from, values }: Lines,
  fresh: readonly FreshFunder[],
): Promise<boolean> {
  const read = await connection.runAndReadAll(funderSumsSql(from), values);
  const sums = read.getRows();
  const isRight = ({ ein, records, digest }: FreshFunder, index: number) => {
    const [foundEin, count, sum] = sums[index] ?? [];
    return foundEin === ein && count === records && formatFunderDigest(sum as bigint).equals(digest);
  };
  return sums.length === fresh.length && fresh.every(isRight);
}

/**
 * True if the keys in the index are those of the copied records in the previous index, and those of the lines, and no id of the lines
 * occurs twice.
 */
async function areKeysRight(
  connection: DuckDBConnection,
  { from, values }: Lines,
  copied: readonly number[],
  after: Side,
  before: Side,
): Promise<boolean> {
  await connection.run(
    `CREATE TABLE lines AS SELECT id, ${rowHashSql(keysOfRecord)} AS key FROM ${from}`,
    values,
  );
  const eins = { copied: listValue(copied) };
  await connection.run("CREATE TABLE copied AS SELECT unnest($copied)", eins, { copied: LIST(UINTEGER) });
  for (const [name, { folder }] of Object.entries({ after, before }))
    await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS ${name} (READ_ONLY)`);
  const read = await connection.runAndReadAll(keysSql);
  return read.getRows()[0]?.every((isRight) => isRight === true) ?? false;
}

const keysSql = `
SELECT
  (SELECT ${hashSumSql(keysOfIndex)} FROM after.by_funder)
    = (SELECT ${hashSumSql(keysOfIndex)} FROM before.by_funder WHERE funder_ein IN (FROM copied))
    + (SELECT coalesce(sum(key::HUGEINT), 0) + count(*) FROM lines),
  (SELECT count(*) = count(DISTINCT id) FROM lines),
  (SELECT count(*) FROM after.by_funder WHERE id IN (SELECT id FROM lines)) = (SELECT count(*) FROM lines)`;
