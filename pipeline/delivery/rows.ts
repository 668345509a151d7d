// Reads the rows of ClickHouse's table from a release, in the format JSONEachRow.
import type { DuckDBConnection } from "@duckdb/node-api";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import { Records } from "../../api-static/release/records.ts";
import { grantsSql, tableColumnNames } from "../../api-static/search/sql/table.ts";
import { integersOf, streamChunks } from "../base/database.ts";

/** Characters of a block. A server turns each block into a part on its disk. */
const blockSize = 2 ** 24;

/** The rows without their lines. They need no order, because ClickHouse sorts them, but most follow each other in `records`. */
const rowsSql = `
SELECT position::INTEGER, to_json({${tableColumnNames.map((name) => `'${name}': ${name}`).join(", ")}})::VARCHAR
FROM (${grantsSql()}) WHERE funder_ein % $shards = $shard`;

/**
 * The rows of a shard, in blocks. All records of a funder belong to the same shard.
 * @param connection to a database in which the release's index is attached as `index`
 * @param folder of the release
 */
export async function* readRows(
  connection: DuckDBConnection,
  folder: string,
  shard: number,
  shards: number,
): AsyncGenerator<{ readonly count: number; readonly rows: string }> {
  await connection.run("USE index");
  const records = Records.open(folder);
  let [count, rows] = [0, ""];
  try {
    for await (const chunk of streamChunks(connection, rowsSql, { shard, shards })) {
      const positions = [...integersOf(chunk, 0).subarray(0, chunk.rowCount)];
      const lines = records.readLines(positions).toString().split(lineEnd);
      for (const [index, row] of chunk.getColumnValues(1).entries())
        rows += `${String(row).slice(0, -1)},"line":${JSON.stringify(lines[index])}}\n`;
      count += chunk.rowCount;
      if (rows.length < blockSize) continue;
      yield { count, rows };
      [count, rows] = [0, ""];
    }
    if (count > 0) yield { count, rows };
  } finally {
    records.close();
  }
}
