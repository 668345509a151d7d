// Owns the reading of `records` as rows: by DuckDB, from the lines alone.
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RecordField } from "../../api-static/contract/record.ts";
import { offsetBytes, parts, readOffset } from "../../api-static/release/layout.ts";
import { literalPath } from "../database.ts";

/** What each field of a record is read as: the types of the table `grants`, but amounts as JSON gives numbers. */
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

/** SQL of an amount, exact: a DOUBLE is up to trillions of dollars; of a greater one the text is read. */
const amountSql = (field: RecordField) => `CASE WHEN abs(record.${field}) >= 1e12
  THEN try_cast(regexp_extract(line, '"${field}":([^,]+)', 1) AS DECIMAL(18,2))
  ELSE record.${field}::DECIMAL(18,2) END AS ${field}`;

/** Least room for a line, which costs nothing: DuckDB's own buffer. A line beyond it takes some ten times its bytes of memory. */
const lineRoom = 32_000_000;

/** Offsets read at a time. */
const offsetsAtATime = 2 ** 18;

/**
 * Returns what reads all records of a release's folder: `from` after FROM, with a record's fields as columns (null where a value is
 * none of its type), and `values` to be bound with the statement. It fails with an "Invalid Input Error" at a line that is no JSON.
 */
export async function readRecords(folder: string): Promise<{ from: string; values: { records: string } }> {
  const path = join(folder, parts.records);
  const { size } = await stat(path);
  const room = Math.max(lineRoom, Math.min(size, await findLongestLine(folder)));
  const lines = `read_csv($records, columns = {line: 'VARCHAR'}, delim = '\u0001', quote = '', escape = '', header = false,
    auto_detect = false, new_line = '\\n', hive_partitioning = false, max_line_size = ${room}, buffer_size = ${room})`;
  // A line ends with a comma: with brackets and one more element it is an array, in a tenth of the time that cutting the comma takes.
  const array = `from_json(concat('[', line, '0]'), '${JSON.stringify([fieldTypes])}')`;
  return {
    from: `(SELECT record.* REPLACE (${amountSql("amount")}, ${amountSql("non_cash_amount")})
      FROM (SELECT line, ${array}[1] AS record FROM ${lines}))`,
    values: { records: literalPath(path) },
  };
}

/** Bytes of the longest line that `records.offsets` tells of. */
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
