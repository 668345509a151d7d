// Copies files with a time in milliseconds beyond DuckDB's range, without that time: DuckDB would not read any row of them.
import { constants } from "node:fs";
import { copyFile, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { literalPath, sqlText } from "../base/database.ts";
import { makeFolder } from "../base/files.ts";
import { readParquetList, type Warehouse } from "./warehouse.ts";

const inMillisecondsSql = `SELECT DISTINCT file_name FROM parquet_schema($files)
  WHERE lower(name) = 'created_at' AND concat(converted_type, logical_type) SIMILAR TO '.*(TIMESTAMP_MILLIS|MilliSeconds).*'`;

/** The times of a file that was marked as one of microseconds: null beyond the years 1 to 9999. */
const copySql = `SELECT * REPLACE (CASE WHEN epoch_us(created_at) BETWEEN -62135596800000 AND 253402300799999
  THEN make_timestamp(epoch_us(created_at) * 1000) END AS created_at) FROM read_parquet($path)`;

/**
 * The column in a footer of bytes, as Thrift writes it: the name, the converted type (TIMESTAMP_MILLIS), perhaps a field id, and the logical type's
 * unit. https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
const columnPattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bytes of a footer
  /\x18\x0acreated_at(?:\x25(\x12))?(?:[\x35\x55][\x80-\xff]*[\x00-\x7f])?(?:[\x1c\x4c\x6c]\x8c[\x11\x12]\x1c(\x1c)\x00)?/dgis;
const microseconds = [undefined, 0x14, 0x2c]; // the converted type, the unit

/** Returns the warehouse with copies below `folder` of files that DuckDB cannot read because of a time. */
export async function copyUnreadableTimes(
  connection: DuckDBConnection,
  warehouse: Warehouse,
  folder: string,
): Promise<Warehouse> {
  const { values } = readParquetList(warehouse.files.map(({ path }) => path));
  const found = await connection.runAndReadAll(inMillisecondsSql, values);
  const copied = new Set<string>();
  for (const [file] of found.getRows()) {
    const path = String(file);
    const reading = connection.run("SELECT count(hash(created_at)) FROM read_parquet($path)", {
      path: literalPath(path),
    });
    const isUnread = await reading.then(
      () => false,
      (error: Error) => error.message.includes("Timestamp(MS)"),
    );
    if (!isUnread) continue;
    const [target, marked] = [join(folder, path), `${join(folder, path)}.marked`];
    await makeFolder(dirname(target));
    await copyFile(path, marked, constants.COPYFILE_FICLONE);
    await markAsMicroseconds(marked);
    await connection.run(`COPY (${copySql}) TO '${sqlText(target)}' (FORMAT parquet)`, {
      path: literalPath(marked),
    });
    await rm(marked);
    copied.add(path);
  }
  return { ...warehouse, copies: { folder, paths: copied } };
}

async function markAsMicroseconds(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    const { size } = await file.stat();
    const { buffer: tail } = await file.read(Buffer.alloc(8), 0, 8, size - 8);
    const length = tail.readUInt32LE(0);
    const start = size - 8 - length;
    const { buffer: footer } = await file.read(Buffer.alloc(length), 0, length, start);
    for (const { indices } of footer.toString("latin1").matchAll(columnPattern))
      for (const [group, value] of microseconds.entries()) {
        const at = indices?.[group]?.[0];
        if (value !== undefined && at !== undefined) footer[at] = value;
      }
    await file.write(footer, 0, length, start);
  } finally {
    await file.close();
  }
}
