// Owns the copying of a draft of the index into its final file, by a process of its own: same tables, same bytes.
//
// DuckDB's files differ from run to run where several threads write, where text is packed by a random sample (FSST),
// where a file says which version wrote it, and in bytes of blocks that no value uses: so one thread copies, such
// packings are switched off, the storage version is named, and the caller has memory zeroed by the environment.
import { DuckDBInstance } from "@duckdb/node-api";
import { sqlText } from "./database.ts";

// Standard input ends with the sync: when that is killed, this process must not write into the next one's build.
process.stdin.on("end", () => process.exit(1)).resume();
if ("unref" in process.stdin) process.stdin.unref();

/** Small, so that the few rows of a text, a word or a funder are found by reading little: each group knows its bounds. */
const rowGroupRows = 8_192;

const [draft = "", target = ""] = process.argv.slice(2);
const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "1GB" });
const connection = await instance.connect();
await connection.run("SET disabled_compression_methods = 'fsst,dict_fsst,zstd'");
await connection.run(`ATTACH '${sqlText(draft)}' AS draft (READ_ONLY)`);
await connection.run(
  `ATTACH '${sqlText(target)}' AS target (STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE ${rowGroupRows})`,
);
const tables = await connection.runAndReadAll(
  "SELECT table_name FROM duckdb_tables() WHERE database_name = 'draft' ORDER BY table_name",
);
for (const [table] of tables.getRows())
  await connection.run(`CREATE TABLE target.${table} AS FROM draft.${table}`);
await connection.run("CHECKPOINT target");
connection.closeSync();
instance.closeSync();
