// Finds the returns that grants are from, if an import of the IRS's returns made the warehouse.
import type { DuckDBConnection } from "@duckdb/node-api";
import { idsPerReturn } from "../../api-static/release/layout.ts";
import { pathsOf, readParquetList, type Warehouse } from "../warehouse/warehouse.ts";

/** A return has a block of ids, so one row for each return is enough. */
const returnsSql = (from: string) => `
SELECT id - id % ${idsPerReturn} AS first_id, min(irs_return) AS irs_return
FROM (SELECT try_cast(id AS BIGINT) AS id, irs_return FROM ${from})
WHERE irs_return IS NOT NULL AND id >= 0 GROUP BY first_id ORDER BY first_id`;

/** Makes the table `returns`: the first id of each return, and the text that names the return. It is empty for other warehouses. */
export async function findReturns(
  connection: DuckDBConnection,
  warehouse: Pick<Warehouse, "files" | "copies" | "columns">,
): Promise<void> {
  await connection.run(`CREATE TABLE returns (first_id BIGINT, irs_return VARCHAR)`);
  if (warehouse.columns.irs_return === undefined) return;
  const { from, values } = readParquetList(pathsOf(warehouse));
  await connection.run(`INSERT INTO returns ${returnsSql(from)}`, values);
}
