// Owns the copying of drafted tables into the index's file, by a process of its own: same tables, same bytes.
//
// DuckDB's files differ from run to run where several threads write, where text is packed by a random sample (FSST),
// where a file says which version wrote it, and in bytes of blocks that no value uses: so one thread copies, such
// packings are switched off, the storage version is named, and the caller has memory filled by the environment. A buffer
// that DuckDB takes from another to stay within its memory is not filled anew: so tables are copied by slices, between which
// the files are closed, and memory never comes near its limit.
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { DuckDBInstance } from "@duckdb/node-api";
import { sqlText } from "../database.ts";
import { draftPath } from "./indexFile.ts";

/** Small, so that the few rows of a text, a word or a funder are found by reading little: each group knows its bounds. */
const rowGroupRows = 8_192;

/** Rows that are copied at a time: whole row groups, half a gigabyte of memory. */
const sliceRows = 512 * rowGroupRows;

// Standard input ends with the sync: when that is killed, this process must not write into the next one's build.
process.stdin.on("end", () => process.exit(1));

const [target = ""] = process.argv.slice(2);
const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "1GB" });
const connection = await instance.connect();
await connection.run("SET disabled_compression_methods = 'fsst,dict_fsst,zstd'");
for await (const table of createInterface({ input: process.stdin })) {
  if (table === "") break; // all were named
  await settle(table);
}
connection.closeSync();
instance.closeSync();
process.exit(0);

/** Copies a table from its draft, which is removed then. */
async function settle(table: string): Promise<void> {
  const draft = draftPath(target, table);
  await withFiles(draft, `CREATE TABLE target.${table} AS FROM draft.${table} LIMIT 0`);
  let from = 0;
  for (let copied = sliceRows; copied === sliceRows; from += sliceRows) {
    const slice = `FROM draft.${table} WHERE rowid >= ${from} AND rowid < ${from + sliceRows}`;
    copied = await withFiles(draft, `INSERT INTO target.${table} ${slice}`);
  }
  await rm(draft);
}

/** Opens both files for one statement: what they hold in memory goes with their closing. Returns the rows it changed. */
async function withFiles(draft: string, statement: string): Promise<number> {
  await connection.run(`ATTACH '${sqlText(draft)}' AS draft (READ_ONLY)`);
  await connection.run(
    `ATTACH '${sqlText(target)}' AS target (STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE ${rowGroupRows})`,
  );
  const { rowsChanged } = await connection.run(statement);
  await connection.run("CHECKPOINT target");
  await connection.run("DETACH target");
  await connection.run("DETACH draft");
  return rowsChanged;
}
