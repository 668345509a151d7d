// Owns the writing of `records` (each record's JSON text once), of the offset of every line, and of the funder table.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { lineEnd } from "../api-static/envelope.ts";
import {
  funderRowBytes,
  offsetBytes,
  parts,
  recordsMax,
  writeFunderRow,
  writeOffset,
} from "../api-static/layout.ts";
import { recordJsonSql } from "../api-static/record.ts";
import { sqlText } from "./database.ts";
import { InputError } from "./failure.ts";

/** Bytes of `records` looked through at a time. */
const chunkBytes = 8 * 2 ** 20;

/**
 * Writes `records` from the table `grants`, in its order: one line a record, its JSON and the line end.
 * The delimiter before an empty second column gives the comma of the line end; nothing is quoted or escaped.
 */
export async function writeRecords(connection: DuckDBConnection, folder: string): Promise<void> {
  const target = sqlText(join(folder, parts.records));
  await connection.run(`COPY (SELECT ${recordJsonSql}, '' FROM grants) TO '${target}'
    (FORMAT csv, HEADER false, DELIMITER ',', QUOTE '', ESCAPE '')`);
}

/**
 * Writes `records.offsets` from `records`.
 * @param records lines there must be
 * @param reach told how many bytes of `records` are done
 * @returns the length of `records` in bytes and its SHA-256
 */
export async function writeOffsets(
  folder: string,
  records: number,
  reach: (bytes: number) => void,
): Promise<{ bytes: number; sha256: string }> {
  if (records > recordsMax)
    throw new InputError(`a release holds at most ${recordsMax} records, got ${records}`);
  const source = await open(join(folder, parts.records));
  const target = await open(join(folder, parts.offsets), "w");
  try {
    const digest = createHash("sha256");
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let bytes = 0;
    let lines = 0;
    await target.write(Buffer.alloc(offsetBytes)); // the first line starts at 0
    for (;;) {
      const { bytesRead } = await source.read(chunk, 0, chunk.length, bytes);
      if (bytesRead === 0) break;
      const read = chunk.subarray(0, bytesRead);
      digest.update(read);
      const starts = findLineStarts(read, bytes);
      await target.write(starts);
      lines += starts.length / offsetBytes;
      bytes += bytesRead;
      reach(bytes);
    }
    if (lines !== records) throw new Error(`records holds ${lines} lines, ${records} were written`);
    return { bytes, sha256: digest.digest("hex") };
  } finally {
    await source.close();
    await target.close();
  }
}

/** The offsets behind each line end of a chunk that starts at `base`, as they stand in `records.offsets`. */
function findLineStarts(chunk: Buffer, base: number): Buffer {
  const newline = lineEnd.charCodeAt(1);
  let count = 0;
  let table = Buffer.allocUnsafe(2 ** 16 * offsetBytes);
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) {
    if (count * offsetBytes === table.length)
      table = Buffer.concat([table, Buffer.allocUnsafe(table.length)]);
    writeOffset(table, count++, base + at + 1);
  }
  return table.subarray(0, count * offsetBytes);
}

/** Writes `funders` from the table `grants`; returns its bytes, one row per funder. */
export async function writeFunders(connection: DuckDBConnection, folder: string): Promise<Buffer> {
  const result = await connection.runAndReadAll(
    "SELECT funder_ein, count(*)::DOUBLE FROM grants GROUP BY funder_ein ORDER BY funder_ein",
  );
  const rows = result.getRows();
  const table = Buffer.allocUnsafe(rows.length * funderRowBytes);
  let first = 0;
  for (const [index, [ein, records]] of rows.entries()) {
    writeFunderRow(table, index, { ein: Number(ein), first, records: Number(records) });
    first += Number(records);
  }
  const file = await open(join(folder, parts.funders), "w");
  try {
    await file.writeFile(table);
  } finally {
    await file.close();
  }
  return table;
}
