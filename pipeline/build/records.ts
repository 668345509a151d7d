// Writes `records`, which has each record's JSON text once, the offset of each of its lines, and the tables of funders.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, LIST, listValue, UINTEGER } from "@duckdb/node-api";
import { recordJsonSql } from "../../api-static/contract/record.ts";
import {
  digestBytes,
  funderRowBytes,
  parts,
  recordsMax,
  writeFunderRow,
} from "../../api-static/release/layout.ts";
import { sqlText } from "../database.ts";
import { InputError } from "../failure.ts";
import { formatFunderDigest, funderSumsSql, funderSumsValues } from "../releases/funderDigests.ts";
import type { PartDigest } from "../releases/manifest.ts";
import type { FunderTables } from "./changes.ts";
import { LineReader } from "./lineReader.ts";
import { LineWriter } from "./lineWriter.ts";
import { freshRecords } from "./mergedRecords.ts";

/**
 * Lines in the order of the table `grants`, one per record, which is its JSON and the line end. The comma of the line end is the
 * delimiter before an empty second column. Nothing is quoted or escaped.
 */
const copySql = (rows: string, path: string) => `COPY (SELECT ${recordJsonSql}, '' FROM ${rows})
  TO '${sqlText(path)}' (FORMAT csv, HEADER false, DELIMITER ',', QUOTE '', ESCAPE '')`;

/** Writes `records` from the table `grants`. */
export async function writeRecords(connection: DuckDBConnection, folder: string): Promise<void> {
  await connection.run(copySql("grants", join(folder, parts.records)));
}

/** Writes the file of fresh lines: the records of some funders. */
export async function writeFreshRecords(
  connection: DuckDBConnection,
  folder: string,
  eins: readonly number[],
): Promise<void> {
  await connection.run(
    "CREATE TABLE touched AS SELECT unnest($eins) AS funder_ein",
    { eins: listValue([...eins]) },
    { eins: LIST(UINTEGER) },
  );
  // A join does not keep the order of rows.
  const rows = "grants SEMI JOIN touched USING (funder_ein) ORDER BY grants.rowid";
  await connection.run(copySql(rows, join(folder, freshRecords)));
  await connection.run("DROP TABLE touched");
}

/**
 * Writes `records.offsets` from `records`, and returns the digest of `records`.
 * @param records the number of its lines
 * @param onProgress called with the number of lines that are done
 * @throws Error if `records` does not have one whole line per record
 */
export async function writeOffsets(
  folder: string,
  records: number,
  onProgress: (lines: number) => void,
): Promise<PartDigest> {
  const reader = await LineReader.open(join(folder, parts.records));
  const writer = await LineWriter.open(folder, false);
  try {
    for await (const run of reader.take(records)) {
      await writer.add(run);
      onProgress(writer.lines);
    }
    const { lines, rest, ...digest } = await reader.finish();
    if (lines !== records) throw new Error(`records has ${lines} lines, expected ${records}`);
    if (rest > 0) throw new Error(`records has ${rest} bytes after its last line`);
    await writer.finish();
    return digest;
  } finally {
    await reader.close();
    await writer.close();
  }
}

/**
 * Writes `funders` and `funders.digests` from the table `grants`, and returns the tables.
 * @throws InputError if there are more records than a release can have
 */
export async function writeFunders(connection: DuckDBConnection, folder: string): Promise<FunderTables> {
  const rows = (await connection.runAndReadAll(funderSumsSql("grants"), funderSumsValues)).getRows();
  const funders = Buffer.allocUnsafe(rows.length * funderRowBytes);
  const funderDigests = Buffer.allocUnsafe(rows.length * digestBytes);
  let first = 0;
  for (const [index, [ein, records, sum]] of rows.entries()) {
    writeFunderRow(funders, index, { ein: Number(ein), first, records: Number(records) });
    formatFunderDigest(sum as bigint).copy(funderDigests, index * digestBytes);
    first += Number(records);
  }
  if (first > recordsMax) throw new InputError(`a release holds at most ${recordsMax} records, got ${first}`);
  await writeFile(join(folder, parts.funders), funders);
  await writeFile(join(folder, parts.funderDigests), funderDigests);
  return { funders, funderDigests };
}
