// Writes a warehouse in which one funder in a hundred changed: a typical night.
import { join } from "node:path";
import { openDatabase, sqlText } from "../../pipeline/base/database.ts";

const [warehouse = "", target = ""] = process.argv.slice(2);
const { connection, instance } = await openDatabase({
  memory: "2GB",
  threads: 2,
  spillFolder: `${target}.spill`,
});
await connection.run(`COPY (
  SELECT * REPLACE (CASE WHEN hash(funder_ein) % 100 = 0 THEN concat(purpose, ' (AMENDED)') ELSE purpose END AS purpose)
  FROM read_parquet('${sqlText(join(warehouse, "grants-*.parquet"))}')
) TO '${sqlText(target)}' (FORMAT parquet)`);
connection.closeSync();
instance.closeSync();
