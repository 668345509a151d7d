// Writes the funders and the recipients with the largest sums of all grants, in order: what a search need not add up for all groups.
import type { DuckDBConnection } from "@duckdb/node-api";
import { maxLeaders } from "../../../api-static/release/attributes.ts";
import { countRows } from "../../base/database.ts";
import { type ColumnFile, fillColumns } from "./columnFile.ts";

/** Amounts above zero and records of each group: the most that any search can find. */
const most = `least(sum(greatest(amount_cents, 0)), 9223372036854775807)::BIGINT AS amount, count(*)::INTEGER AS records`;

/** The sums of each funder by its row in `funders`, and of each recipient but the last id, which stands for none. */
const sumsSql = {
  funder: `SELECT (row_number() OVER (ORDER BY funder_ein) - 1)::INTEGER AS id, ${most} FROM index.by_funder GROUP BY funder_ein`,
  recipient: `SELECT recipient AS id, ${most} FROM ranks
    WHERE recipient < (SELECT count(*) FROM recipients) + (SELECT count(*) FROM recipient_names) GROUP BY recipient`,
} as const;

/** Writes `funder.by_amount` and its like, from the tables `ranks`, `recipients` and of the texts. */
export async function writeLeaders(connection: DuckDBConnection, file: ColumnFile): Promise<void> {
  for (const kind of ["funder", "recipient"] as const) {
    await connection.run(`CREATE TABLE sums AS ${sumsSql[kind]}`);
    const count = Math.min(await countRows(connection, "sums"), maxLeaders);
    for (const order of ["amount", "records"] as const) {
      const sql = `SELECT id, ${order} FROM sums ORDER BY ${order} DESC, id LIMIT ${maxLeaders}`;
      await fillColumns(connection, sql, [
        file.add(`${kind}.by_${order}`, count),
        file.add(`${kind}.by_${order}.most`, count, order === "amount" ? 8 : 4),
      ]);
    }
    await connection.run("DROP TABLE sums");
  }
}
