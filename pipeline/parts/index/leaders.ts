// Writes the recipients with the largest sums of all grants, in order. A broad search adds up these alone.
import type { DuckDBConnection } from "@duckdb/node-api";
import { maxLeaders } from "../../../api-static/release/attributes.ts";
import { countRows } from "../../base/database.ts";
import { type ColumnFile, fillColumns } from "./columnFile.ts";

/** The most that a search can find of each recipient: its amounts above zero, and its records. The last id stands for no recipient. */
const mostSql = `
CREATE TABLE sums AS
  SELECT recipient, least(sum(greatest(amount_cents, 0)), 9223372036854775807)::BIGINT AS amount, count(*)::INTEGER AS records
  FROM ranks WHERE recipient < (SELECT count(*) FROM recipients) + (SELECT count(*) FROM recipient_names) GROUP BY recipient`;

/** Writes `recipient.by_amount` and `recipient.by_records`, from the tables `ranks`, `recipients` and `recipient_names`. */
export async function writeLeaders(connection: DuckDBConnection, file: ColumnFile): Promise<void> {
  await connection.run(mostSql);
  const count = Math.min(await countRows(connection, "sums"), maxLeaders);
  for (const order of ["amount", "records"] as const) {
    const sql = `SELECT recipient, ${order} FROM sums ORDER BY ${order} DESC, recipient LIMIT ${maxLeaders}`;
    await fillColumns(connection, sql, [
      file.add(`recipient.by_${order}`, count),
      file.add(`recipient.by_${order}.most`, count, order === "amount" ? 8 : 4),
    ]);
  }
  await connection.run("DROP TABLE sums");
}
