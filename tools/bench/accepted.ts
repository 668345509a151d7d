// Exports the records of a release as one Parquet file: in result order, so that every peer loads the same grants, or only their keys.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { resultOrderSql, timestampSql } from "../../api-static/contract/answers/record.ts";
import { centsSql } from "../../api-static/contract/text/amount.ts";
import { canonicalTextSql } from "../../api-static/contract/text/text.ts";
import { parts } from "../../api-static/release/layout.ts";
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
export function exportAccepted(corpus: Corpus, folder: string, parquet: string): Promise<Grants> {
  return withDatabase(folder, async (connection) => {
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
    return { parquet, rows, release: corpus.release };
  });
}

/** The columns of the index that the suite's values are drawn from. */
const keysSql = `SELECT by_funder.id, funder_ein, recipient_ein, transaction_year, amount_cents, types.text AS type,
  purposes.text AS purpose_text, recipient_names.text AS recipient_name_text FROM release.by_funder
LEFT JOIN release.types ON types.id = type LEFT JOIN release.purposes ON purposes.id = purpose
LEFT JOIN release.recipient_names ON recipient_names.id = recipient_name`;

/** Writes the columns from which the suite's values are drawn to `parquet`: no peer needs the others, and the disk has less room for them. */
export function exportKeys(
  corpus: Pick<Corpus, "release" | "records">,
  folder: string,
  parquet: string,
): Promise<Grants> {
  return withDatabase(folder, async (connection) => {
    await connection.run(`ATTACH '${sqlText(join(corpus.release, parts.index))}' AS release (READ_ONLY)`);
    await connection.run(`COPY (${keysSql}) TO '${sqlText(parquet)}' (FORMAT parquet)`);
    return { parquet, rows: corpus.records, release: corpus.release };
  });
}

/** Opens a database that spills into `folder`. */
async function withDatabase<Result>(
  folder: string,
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const spillFolder = join(folder, "spill");
  const { connection, instance } = await openDatabase({ memory: "4GB", threads: 2, spillFolder });
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
