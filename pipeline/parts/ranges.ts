// Takes over what ranges of funders made: their grants and rejected rows, the tables of their funders, and their records.
import { createReadStream, createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { listValue } from "@duckdb/node-api";
import { shareBytes } from "../../api-static/release/bytes.ts";
import {
  countRecords,
  funderRowBytes,
  parts,
  readFunderRow,
  writeFunderRow,
} from "../../api-static/release/layout.ts";
import { literalPath, sqlText } from "../base/database.ts";
import { digestIfPresent } from "../base/digests.ts";
import { throwDamaged } from "../base/failure.ts";
import type { FoundRange } from "../releases/ranges.ts";
import type { FunderTables, ReleaseTables } from "../releases/tables.ts";
import { stateTypeSql } from "../warehouse/normalize.ts";
import { type Ingested, type Source, statesSql, sumUp, writeRejects } from "./ingest.ts";
import { findRepeated } from "./repeated.ts";

/** The files of a range in which it keeps tables that a release does not have. */
const files = { grants: "grants.parquet", returns: "returns.parquet" } as const;

/** Writes the tables of a range that `ingest` made beside its rejected rows. */
export async function writeRangeTables(
  { connection }: Pick<Source, "connection">,
  folder: string,
): Promise<void> {
  for (const [table, file] of Object.entries(files))
    await connection.run(`COPY ${table} TO '${sqlText(join(folder, file))}' (FORMAT parquet)`);
}

/**
 * Makes the tables that `ingest` makes, from those of ranges: nothing is sorted or decided again.
 * @param ranges by EIN
 * @throws DamagedError if a file of a range is missing or damaged; InputError if they have more or fewer rows than the warehouse
 */
export async function ingestRanges(
  source: Source,
  ranges: readonly FoundRange[],
  folder: string,
): Promise<Ingested> {
  const { connection, warehouse, progress } = source;
  const take = async (table: string, file: string, sql: string) => {
    await checkFiles(ranges, file);
    const paths = listValue(ranges.map((range) => literalPath(join(range.folder, file))));
    await connection.run(`CREATE TABLE ${table} AS ${sql}`, { paths });
  };
  const from = "FROM read_parquet($paths)";
  const ingested = await progress.run("read ranges", warehouse.rows, "rows", async () => {
    await checkFiles(ranges, parts.records);
    await connection.run(stateTypeSql);
    await take("grants", files.grants, `SELECT *${statesSql(warehouse)} ${from}`);
    await take("rejects", parts.rejects, from);
    const columns = "first_id, min(irs_return) AS irs_return"; // a return of two funders is listed by both
    await take("returns", files.returns, `SELECT ${columns} ${from} GROUP BY first_id ORDER BY first_id`);
    const rejected = await writeRejects(connection, folder);
    const recipientEinInvalid = ranges.reduce((sum, { facts }) => sum + facts.recipient_ein_invalid, 0);
    return sumUp(source, { rejected, recipientEinInvalid });
  });
  await progress.run("find repeats", ingested.accepted, "grants", () => findRepeated(connection));
  return ingested;
}

/** @throws DamagedError that names the ranges whose file is not as it was sealed */
async function checkFiles(ranges: readonly FoundRange[], file: string): Promise<void> {
  const problems: string[] = [];
  for (const { folder, manifest } of ranges) {
    const found = await digestIfPresent(join(folder, file));
    if (found === undefined || found.sha256 !== manifest.parts[file]?.sha256)
      problems.push(join(folder, file));
  }
  throwDamaged("files of RANGES are missing or damaged", problems);
}

/** Writes `funders` and `funders.digests` of a release from those of its ranges, by EIN, and returns the tables. */
export async function joinFunders(ranges: readonly ReleaseTables[], folder: string): Promise<FunderTables> {
  const funders = shareBytes(...ranges.map((range) => range.funders));
  const funderDigests = Buffer.concat(ranges.map((range) => range.funderDigests));
  let [index, before] = [0, 0];
  for (const range of ranges) {
    for (const end = index + range.funders.length / funderRowBytes; index < end; index++) {
      const row = readFunderRow(funders, index);
      writeFunderRow(funders, index, { ...row, first: before + row.first });
    }
    before += countRecords(range.funders);
  }
  await writeFile(join(folder, parts.funders), funders);
  await writeFile(join(folder, parts.funderDigests), funderDigests);
  return { funders, funderDigests };
}

/** Writes `records` of a release from those of its ranges, by EIN. */
export async function joinLines(ranges: readonly ReleaseTables[], folder: string): Promise<void> {
  await pipeline(
    async function* () {
      for (const range of ranges)
        yield* createReadStream(join(range.folder, parts.records), { highWaterMark: 2 ** 20 });
    },
    createWriteStream(join(folder, parts.records)),
  );
}
