// Measures the floor of a sync: DuckDB alone sorts the same Parquet into one file of JSON lines.
import { join } from "node:path";
import { resultOrderSql } from "../../api-static/contract/answers/record.ts";
import { openDatabase, sqlText } from "../../pipeline/base/database.ts";

const [warehouse = "", folder = ""] = process.argv.slice(2);
const { connection, instance } = await openDatabase({
  memory: "4GB",
  threads: 2,
  spillFolder: join(folder, "spill"),
});
await connection.run(`COPY (
  SELECT * FROM read_parquet('${sqlText(join(warehouse, "grants-*.parquet"))}') ORDER BY funder_ein, ${resultOrderSql}
) TO '${sqlText(join(folder, "floor.ndjson"))}' (FORMAT json)`);
connection.closeSync();
instance.closeSync();
