// Exports the records of a release as one Parquet file in result order: every peer loads the same grants.
import { join } from "node:path";
import { centsSql } from "../../api-static/contract/amount.ts";
import { resultOrderSql, timestampSql } from "../../api-static/contract/record.ts";
import { canonicalTextSql } from "../../api-static/contract/text.ts";
import { openDatabase, sqlText } from "../../pipeline/base/database.ts";
import { readRecords } from "../../pipeline/releases/recordRows.ts";
import type { Corpus } from "./corpus.ts";
import { type AcceptedColumn, acceptedColumns, acceptedNames } from "./peers/columns.ts";
import type { Grants } from "./peers/peer.ts";

/** Columns derived from others; the rest are copied unchanged. */
const made: Partial<Record<AcceptedColumn, string>> = {
  place: "rowid",
  created_at: timestampSql("created_at"),
  amount_cents: centsSql("amount"),
  non_cash_amount_cents: centsSql("non_cash_amount"),
  purpose_text: canonicalTextSql("purpose"),
  recipient_name_text: canonicalTextSql("recipient_name"),
};

/** Writes the accepted grants to `parquet`. */
export async function exportAccepted(corpus: Corpus, folder: string, parquet: string): Promise<Grants> {
  const { connection, instance } = await openDatabase({
    memory: "4GB",
    threads: 2,
    spillFolder: join(folder, "spill"),
  });
  try {
    const { from, values } = await readRecords(corpus.release);
    await connection.run(`CREATE TABLE sorted AS FROM ${from} ORDER BY ${resultOrderSql}`, values);
    const selected = acceptedNames.map(
      (name) => `(${made[name] ?? name})::${acceptedColumns[name]} AS ${name}`,
    );
    await connection.run(
      `COPY (SELECT ${selected.join(", ")} FROM sorted) TO '${sqlText(parquet)}' (FORMAT parquet)`,
    );
    const counted = await connection.runAndReadAll("SELECT count(*)::DOUBLE FROM sorted");
    const rows = Number(counted.getRows()[0]?.[0]);
    if (rows !== corpus.records)
      throw new Error(`${rows} records were exported, but the release has ${corpus.records}`);
    return { parquet, rows };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
