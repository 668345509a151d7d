// Reads `records` as rows with DuckDB, from the lines alone.
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RecordField } from "../../api-static/contract/answers/record.ts";
import { offsetBytes, parts, readOffset } from "../../api-static/release/layout.ts";
import { literalPath } from "../base/database.ts";

/** The type of each field: as in the table `grants`, except amounts, which JSON numbers give as DOUBLE. */
const fieldTypes: Readonly<Record<RecordField, string>> = {
  id: "BIGINT",
  funder_ein: "UINTEGER",
  transaction_year: "USMALLINT",
  recipient_name: "VARCHAR",
  recipient_ein: "UINTEGER",
  type: "VARCHAR",
  amount: "DOUBLE",
  non_cash_amount: "DOUBLE",
  non_cash_description: "VARCHAR",
  purpose: "VARCHAR",
  created_at: "TIMESTAMP",
};

/** SQL of the fields whose type in the table `grants` is another one than in Parquet files for readers. */
export const parquetFieldSql: Readonly<Partial<Record<RecordField, string>>> = {
  funder_ein: "lpad(funder_ein::VARCHAR, 9, '0')",
  transaction_year: "transaction_year::INTEGER",
  recipient_ein: "lpad(recipient_ein::VARCHAR, 9, '0')",
  created_at: "created_at AT TIME ZONE 'UTC'",
};

/** SQL of an exact amount: a DOUBLE is exact below a trillion dollars, a greater amount is read from the text. */
const amountSql = (field: RecordField) => `CASE WHEN abs(record.${field}) >= 1e12
  THEN try_cast(regexp_extract(line, '"${field}":([^,]+)', 1) AS DECIMAL(18,2))
  ELSE record.${field}::DECIMAL(18,2) END AS ${field}`;

/** Minimum line buffer, DuckDB's own default. A longer line takes about ten times its size in memory. */
const minLineBuffer = 32_000_000;

/** SQL of the text before a funder's EIN. */
const einStart = `'"funder_ein":"'`;

/** Offsets read at a time. */
const offsetsAtATime = 2 ** 18;

/** SQL of the lines in a file with the path that is bound as `name`. @param buffer for lines, as `findLineBuffer` returns it */
export function linesSql(name: string, buffer = minLineBuffer): string {
  return `read_csv($${name}, columns = {line: 'VARCHAR'}, delim = '\u0001', quote = '', escape = '', header = false,
    auto_detect = false, new_line = '\\n', hive_partitioning = false, max_line_size = ${buffer}, buffer_size = ${buffer})`;
}

/**
 * SQL of rows with a `line` of `records`, with the record's fields as further columns (null if a value does not have the field's
 * type). It fails with an "Invalid Input Error" at a line that is not JSON.
 */
export function recordRowsSql(lines: string): string {
  // A line ends with a comma. As one of two members of an object it is JSON; removing the comma would take longer.
  const object = `from_json(concat('{"record":', line, '"end":0}'), '${JSON.stringify({ record: fieldTypes })}')`;
  return `SELECT * EXCLUDE (record), record.* REPLACE (${amountSql("amount")}, ${amountSql("non_cash_amount")})
    FROM (SELECT *, ${object}.record AS record FROM ${lines})`;
}

/**
 * Returns SQL that reads the records of a release: `from` goes after FROM and has a record's fields as columns, and `values` are
 * bound to the statement. It fails as that of `recordRowsSql` does.
 * @param turn bound as `count` and `part`: only funders whose EIN, divided by `count`, leaves `part`; without it, all are read
 */
export async function readRecords(
  folder: string,
  turn?: { readonly count: number; readonly part: number },
): Promise<{ from: string; values: { records: string } }> {
  const all = linesSql("records", await findLineBuffer(folder));
  const ein = `substr(line, instr(line, ${einStart}) + ${einStart.length - 2}, 9)`;
  // Before lines are parsed, because that takes most of the time.
  const lines =
    turn === undefined
      ? all
      : `(FROM ${all} WHERE coalesce(try_cast(${ein} AS UINTEGER), 0) % $count = $part)`;
  return {
    from: `(SELECT * EXCLUDE (line) FROM (${recordRowsSql(lines)}))`,
    values: { records: literalPath(join(folder, parts.records)) },
  };
}

/** Bytes of a buffer that is as long as the longest line of a release, or longer. */
export async function findLineBuffer(folder: string): Promise<number> {
  const { size } = await stat(join(folder, parts.records));
  return Math.max(minLineBuffer, Math.min(size, await findLongestLine(folder)));
}

/** Bytes of the longest line, by `records.offsets`. */
async function findLongestLine(folder: string): Promise<number> {
  const file = await open(join(folder, parts.offsets));
  try {
    const chunk = Buffer.allocUnsafe(offsetsAtATime * offsetBytes);
    let [longest, start] = [0, 0];
    for (let at = 0; ; at += chunk.length) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      for (let index = 0; index < Math.floor(bytesRead / offsetBytes); index++) {
        const end = readOffset(chunk, index);
        longest = Math.max(longest, end - start);
        start = end;
      }
      if (bytesRead < chunk.length) return longest;
    }
  } finally {
    await file.close();
  }
}
