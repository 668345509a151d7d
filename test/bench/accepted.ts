// Owns the grants that every peer gets: the records of a release as one Parquet file, in result order.
import { join } from "node:path";
import { parts } from "../../api-static/layout.ts";
import { resultOrderSql } from "../../api-static/record.ts";
import { canonicalTextSql } from "../../api-static/text.ts";
import { openDatabase, sqlText } from "../../pipeline/database.ts";
import type { Corpus } from "./corpus.ts";
import { type AcceptedColumn, acceptedColumns, acceptedNames } from "./peers/columns.ts";
import type { Grants } from "./peers/peer.ts";

/** A record as it stands in `records`. */
const recordShape = JSON.stringify({
  id: "BIGINT",
  funder_ein: "VARCHAR",
  transaction_year: "SMALLINT",
  recipient_name: "VARCHAR",
  recipient_ein: "VARCHAR",
  type: "VARCHAR",
  amount: "DECIMAL(18,2)",
  non_cash_amount: "DECIMAL(18,2)",
  non_cash_description: "VARCHAR",
  purpose: "VARCHAR",
  created_at: "VARCHAR",
});

const cents = (column: string) => `(${column}::DECIMAL(20,2) * 100)::BIGINT`;

/** Columns that are made of others; those not named are taken as they are. */
const made: Partial<Record<AcceptedColumn, string>> = {
  place: "rowid",
  funder_ein: "funder_ein::INTEGER",
  recipient_ein: "recipient_ein::INTEGER",
  amount_cents: cents("amount"),
  non_cash_amount_cents: cents("non_cash_amount"),
  purpose_text: canonicalTextSql("purpose"),
  recipient_name_text: canonicalTextSql("recipient_name"),
};

/** Writes the accepted grants to `parquet`; a line of `records` is a record's JSON, a comma and the line's end. */
export async function exportAccepted(corpus: Corpus, folder: string, parquet: string): Promise<Grants> {
  const { connection, instance } = await openDatabase({
    memory: "4GB",
    threads: 2,
    spillFolder: join(folder, "spill"),
  });
  try {
    await connection.run(
      `CREATE TABLE sorted AS
       SELECT * FROM (SELECT record.* FROM (
         SELECT from_json(line[:-2]::JSON, '${recordShape}') AS record
         FROM read_csv($records, columns = {line: 'VARCHAR'}, delim = '\u0001', quote = '', escape = '',
           header = false, auto_detect = false, new_line = '\\n')
       )) ORDER BY ${resultOrderSql}`,
      { records: join(corpus.release, parts.records) },
    );
    const selected = acceptedNames.map(
      (name) => `(${made[name] ?? name})::${acceptedColumns[name]} AS ${name}`,
    );
    await connection.run(
      `COPY (SELECT ${selected.join(", ")} FROM sorted) TO '${sqlText(parquet)}' (FORMAT parquet)`,
    );
    const counted = await connection.runAndReadAll("SELECT count(*)::DOUBLE FROM sorted");
    const rows = Number(counted.getRows()[0]?.[0]);
    if (rows !== corpus.records)
      throw new Error(`${rows} records were exported, the release has ${corpus.records}`);
    return { parquet, rows };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
