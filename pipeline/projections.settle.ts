// Owns the copying of a draft of the index into its final file, by a process of its own: same tables, same bytes.
//
// DuckDB's files differ from run to run where several threads write, where text is packed by a random sample (FSST),
// where a file says which version wrote it, and in bytes of blocks that no value uses: so one thread copies, such
// packings are switched off, the storage version is named, and the caller has memory zeroed by the environment. A buffer
// that DuckDB takes from another to stay within its memory is not zeroed: so tables are copied by slices, between which
// the files are closed, and memory never comes near its limit.
import { DuckDBInstance } from "@duckdb/node-api";
import { sqlText } from "./database.ts";

// Standard input ends with the sync: when that is killed, this process must not write into the next one's build.
process.stdin.on("end", () => process.exit(1)).resume();
if ("unref" in process.stdin) process.stdin.unref();

/** Small, so that the few rows of a text, a word or a funder are found by reading little: each group knows its bounds. */
const rowGroupRows = 8_192;

/** Rows that are copied at a time: whole row groups, half a gigabyte of memory. */
const sliceRows = 512 * rowGroupRows;

const [draft = "", target = ""] = process.argv.slice(2);
const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "1GB" });
const connection = await instance.connect();
await connection.run("SET disabled_compression_methods = 'fsst,dict_fsst,zstd'");
const tables = await withFiles(() =>
  connection.runAndReadAll(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = 'draft' ORDER BY table_name",
  ),
);
for (const [table] of tables.getRows()) {
  await withFiles(() => connection.run(`CREATE TABLE target.${table} AS FROM draft.${table} LIMIT 0`));
  for (let from = 0; (await copySlice(String(table), from)) === sliceRows; from += sliceRows);
}
connection.closeSync();
instance.closeSync();

/** Copies the rows from `from` on to the end of a table; returns how many there were. */
async function copySlice(table: string, from: number): Promise<number> {
  const slice = `SELECT * FROM draft.${table} WHERE rowid >= ${from} AND rowid < ${from + sliceRows}`;
  const copied = await withFiles(() => connection.run(`INSERT INTO target.${table} ${slice}`));
  return copied.rowsChanged;
}

/** Opens both databases for one piece of work: what they hold in memory goes with their closing. */
async function withFiles<Result>(work: () => Promise<Result>): Promise<Result> {
  await connection.run(`ATTACH '${sqlText(draft)}' AS draft (READ_ONLY)`);
  await connection.run(
    `ATTACH '${sqlText(target)}' AS target (STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE ${rowGroupRows})`,
  );
  const result = await work();
  await connection.run("CHECKPOINT target");
  await connection.run("DETACH target");
  await connection.run("DETACH draft");
  return result;
}
