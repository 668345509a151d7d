// Writes `records`, which has each record's JSON text once, the offset of each of its lines, and the tables of funders.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordJsonSql } from "../../../api-static/contract/answers/record.ts";
import { digestBytes } from "../../../api-static/contract/answers/storedPage.ts";
import { funderRowBytes, parts, writeFunderRow } from "../../../api-static/release/layout.ts";
import { shareBytes } from "../../../api-static/release/records.ts";
import { sqlText, streamChunks } from "../../base/database.ts";
import type { FileDigest } from "../../base/digests.ts";
import { formatFunderDigest, funderSumsSql } from "../../releases/funderDigests.ts";
import type { FunderTables } from "../../releases/tables.ts";
import { findLines } from "./findLines.ts";

/**
 * SQL that writes lines in the order of a table, one per row, which is its JSON and the line end. The comma of the line end is the delimiter before an
 * empty second column. Nothing is quoted or escaped.
 */
export const copyLinesSql = (
  json: string,
  table: string,
  path: string,
) => `COPY (SELECT ${json}, '' FROM ${table})
  TO '${sqlText(path)}' (FORMAT csv, HEADER false, DELIMITER ',', QUOTE '', ESCAPE '')`;

/** Writes a file of lines from the table `grants`. */
export async function writeLines(connection: DuckDBConnection, path: string): Promise<void> {
  await connection.run(copyLinesSql(recordJsonSql, "grants", path));
}

/**
 * Writes `records.offsets` from `records`, and returns the digests of both by part.
 * @param records the number of its lines
 * @param onProgress called with the number of lines that are done
 * @throws Error if `records` does not have one whole line per record
 */
export async function writeOffsets(
  folder: string,
  records: number,
  onProgress: (lines: number) => void,
): Promise<Record<string, FileDigest>> {
  const file = { lines: join(folder, parts.records), offsets: join(folder, parts.offsets) };
  const found = await findLines(file, records, onProgress);
  return { [parts.records]: found.linesDigest, [parts.offsets]: found.offsetsDigest };
}

/** Writes `funders` and `funders.digests` from the table `grants`, and returns the tables. */
export async function writeFunders(connection: DuckDBConnection, folder: string): Promise<FunderTables> {
  const rows: Buffer[] = [];
  const digests: Buffer[] = [];
  let first = 0;
  for await (const chunk of streamChunks(connection, funderSumsSql("grants"))) {
    const some = Buffer.allocUnsafe(chunk.rowCount * funderRowBytes);
    const sums = Buffer.allocUnsafe(chunk.rowCount * digestBytes);
    for (const [index, [ein, records, sum]] of chunk.getRows().entries()) {
      writeFunderRow(some, index, { ein: Number(ein), first, records: Number(records) });
      formatFunderDigest(sum as bigint).copy(sums, index * digestBytes);
      first += Number(records);
    }
    rows.push(some);
    digests.push(sums);
  }
  const funders = shareBytes(...rows);
  const funderDigests = Buffer.concat(digests);
  await writeFile(join(folder, parts.funders), funders);
  await writeFile(join(folder, parts.funderDigests), funderDigests);
  return { funders, funderDigests };
}
