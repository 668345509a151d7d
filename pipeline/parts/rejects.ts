// Moves the rejected rows of the warehouse out of the table of accepted grants, into `rejects.parquet`.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type RejectReason, rejectReasons } from "../../api-static/contract/rejects.ts";
import { parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../base/database.ts";

/** Moves the rejected rows to the table `rejects`, and adds those of repeated ids. */
const rejectsSql = `
CREATE TABLE rejects AS SELECT reason, raw.* FROM (
  SELECT rejected[1].reason AS reason, rejected[1].raw AS raw FROM grants WHERE rejected IS NOT NULL
);
INSERT INTO rejects SELECT reason, raw.* FROM repeats WHERE reason IS NOT NULL;
INSERT INTO rejects SELECT 'duplicate_id' AS reason, raw.* FROM ranked WHERE place > 1;
DELETE FROM grants WHERE rejected IS NOT NULL;
ALTER TABLE grants DROP COLUMN rejected;
DROP TABLE repeats`;

const orderedRejectsSql = "SELECT * FROM rejects ORDER BY source_file, source_row";

/** Writes the rejected rows, as they were read, to `rejects.parquet` in `folder`, and counts them by reason. */
export async function writeRejects(
  connection: DuckDBConnection,
  folder: string,
): Promise<Record<RejectReason, number>> {
  await connection.run(rejectsSql);
  const path = sqlText(join(folder, parts.rejects));
  await connection.run(`COPY (${orderedRejectsSql}) TO '${path}' (FORMAT parquet)`);
  return countRejects(connection);
}

async function countRejects(connection: DuckDBConnection): Promise<Record<RejectReason, number>> {
  const result = await connection.runAndReadAll(
    "SELECT reason, count(*)::DOUBLE FROM rejects GROUP BY reason",
  );
  const counts = new Map(result.getRows().map(([reason, rows]) => [String(reason), Number(rows)]));
  return Object.fromEntries(rejectReasons.map((reason) => [reason, counts.get(reason) ?? 0])) as Record<
    RejectReason,
    number
  >;
}
