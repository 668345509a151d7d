// Writes a warehouse in which one funder in a hundred changed, with the same list of organizations: an ordinary night.
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase, sqlText } from "../../pipeline/base/database.ts";

const [warehouse = "", target = ""] = process.argv.slice(2);
await mkdir(target, { recursive: true });
const { connection, instance } = await openDatabase({
  memory: "2GB",
  threads: 2,
  spillFolder: `${target}.spill`,
});
await connection.run(`COPY (
  SELECT * REPLACE (CASE WHEN hash(funder_ein) % 100 = 0 THEN concat(purpose, ' (AMENDED)') ELSE purpose END AS purpose)
  FROM read_parquet('${sqlText(join(warehouse, "grants-*.parquet"))}')
) TO '${sqlText(join(target, "grants-0000.parquet"))}' (FORMAT parquet)`);
await copyFile(join(warehouse, "organizations.parquet"), join(target, "organizations.parquet"));
connection.closeSync();
instance.closeSync();
