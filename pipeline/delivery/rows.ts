// Reads the rows of ClickHouse's table from a release, as tab-separated lines for each shard.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import { parts } from "../../api-static/release/layout.ts";
import { Records } from "../../api-static/release/records.ts";
import { grantsSql, tableColumnNames } from "../../api-static/search/sql/table.ts";
import { integersOf, sqlText, streamChunks } from "../base/database.ts";

/** SQL of a value as tab-separated text. */
const separated = (value: string) =>
  Object.entries({ "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" }).reduce(
    (sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`,
    `${value}::VARCHAR`,
  );

/** The rows without their lines. They need no order, because ClickHouse sorts them, but most follow each other in `records`. */
const rowsSql = (shards: number) => `
SELECT position::INTEGER, (funder_ein % ${shards})::INTEGER,
  concat_ws('\t', ${tableColumnNames.map((name) => `coalesce(${separated(name)}, '\\N')`).join(", ")})
FROM (${grantsSql()})`;

/** Some rows, and the lines of those of each shard. */
export type RowBlock = { readonly rows: number; readonly shards: readonly string[] };

/**
 * The rows of a release, about two thousand at a time. All records of a funder belong to the same shard.
 * @param folder of the release
 */
export async function* readRows(
  connection: DuckDBConnection,
  folder: string,
  shards: number,
): AsyncGenerator<RowBlock> {
  await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS index (READ_ONLY); USE index`);
  const records = Records.open(folder);
  try {
    for await (const chunk of streamChunks(connection, rowsSql(shards))) {
      const positions = [...integersOf(chunk, 0).subarray(0, chunk.rowCount)];
      const lines = records.readLines(positions).toString().replaceAll("\\", "\\\\").split(lineEnd);
      const shardOf = integersOf(chunk, 1);
      const texts = Array.from({ length: shards }, () => "");
      for (const [index, row] of chunk.getColumnValues(2).entries())
        texts[shardOf[index] as number] += `${row}\t${lines[index]}\n`;
      yield { rows: chunk.rowCount, shards: texts };
    }
  } finally {
    records.close();
  }
}
