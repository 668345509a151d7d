// Writes `records`, which has each record's JSON text once, the offset of each of its lines, and the funder table.
import { createHash } from "node:crypto";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import { recordJsonSql } from "../../api-static/contract/record.ts";
import {
  countRecords,
  digestBytes,
  funderRowBytes,
  offsetBytes,
  parts,
  readFunderRow,
  readOffset,
  recordsMax,
  writeFunderRow,
  writeOffset,
} from "../../api-static/release/layout.ts";
import { sqlText } from "../database.ts";
import { InputError } from "../failure.ts";

/** Bytes of `records` that are scanned at a time. */
const chunkBytes = 8 * 2 ** 20;

/**
 * Writes `records` from the table `grants`, in its order: one line per record, which is its JSON and the line end.
 * The comma of the line end is the delimiter before an empty second column. Nothing is quoted or escaped.
 */
export async function writeRecords(connection: DuckDBConnection, folder: string): Promise<void> {
  const target = sqlText(join(folder, parts.records));
  await connection.run(`COPY (SELECT ${recordJsonSql}, '' FROM grants) TO '${target}'
    (FORMAT csv, HEADER false, DELIMITER ',', QUOTE '', ESCAPE '')`);
}

/**
 * Writes `records.offsets` and `funders.digests` from `records`.
 * @param funders the funder table
 * @param onProgress called with the number of lines that are done
 * @returns the table of `funders.digests`
 * @throws Error if `records` does not have one whole line per record
 */
export async function writeOffsets(
  folder: string,
  funders: Buffer,
  onProgress: (lines: number) => void,
): Promise<Buffer> {
  const records = countRecords(funders);
  if (records > recordsMax)
    throw new InputError(`a release holds at most ${recordsMax} records, got ${records}`);
  const source = await open(join(folder, parts.records));
  const target = await open(join(folder, parts.offsets), "w");
  try {
    const digests = new FunderDigests(funders);
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let [bytes, lines, end] = [0, 0, 0];
    await target.appendFile(Buffer.alloc(offsetBytes)); // the first line starts at 0
    for (;;) {
      const { bytesRead } = await source.read(chunk, 0, chunk.length, bytes);
      if (bytesRead === 0) break;
      const read = chunk.subarray(0, bytesRead);
      const starts = findLineStarts(read, bytes);
      digests.add(read, bytes, starts, lines);
      await target.appendFile(starts); // `write` may write only a part, without an error
      if (starts.length > 0) end = readOffset(starts, starts.length / offsetBytes - 1);
      lines += starts.length / offsetBytes;
      bytes += bytesRead;
      onProgress(lines);
    }
    if (lines !== records) throw new Error(`records has ${lines} lines, expected ${records}`);
    if (end !== bytes) throw new Error(`records has ${bytes - end} bytes after its last line`);
    await writeFile(join(folder, parts.funderDigests), digests.table);
    return digests.table;
  } finally {
    await source.close();
    await target.close();
  }
}

/** Digests of the funders' lines, computed while `records` is read from start to end. */
class FunderDigests {
  /** As in `funders.digests`. */
  readonly table: Buffer;
  readonly #funders: Buffer;
  #digest = createHash("sha256");
  #funder = 0;

  constructor(funders: Buffer) {
    this.#funders = funders;
    this.table = Buffer.alloc((funders.length / funderRowBytes) * digestBytes);
  }

  /** @param starts offsets after each line end of the chunk at `base`; the first one ends line number `lines` */
  add(chunk: Buffer, base: number, starts: Buffer, lines: number): void {
    let from = 0;
    while (this.#funder * digestBytes < this.table.length) {
      const { first, records } = readFunderRow(this.#funders, this.#funder);
      const line = first + records - lines; // lines of the chunk up to the funder's last one
      if (line * offsetBytes > starts.length) break;
      const to = readOffset(starts, line - 1) - base;
      this.#digest.update(chunk.subarray(from, to));
      this.#digest.digest().copy(this.table, this.#funder * digestBytes, 0, digestBytes);
      this.#digest = createHash("sha256");
      this.#funder += 1;
      from = to;
    }
    this.#digest.update(chunk.subarray(from));
  }
}

/** The offsets after each line end of a chunk that starts at `base`, in the form of `records.offsets`. */
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

/** Writes `funders` from the table `grants`, and returns the table: one row per funder. */
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
  await writeFile(join(folder, parts.funders), table);
  return table;
}
