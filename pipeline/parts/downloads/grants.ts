// Writes all grants of a release as Parquet and as CSV, in the order of `records`.
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatCsvHeader, nameColumns, textFields } from "../../../api-static/contract/answers/csv.ts";
import { downloadKey } from "../../../api-static/contract/answers/downloads.ts";
import { recordFields, timestampSql } from "../../../api-static/contract/answers/record.ts";
import { parts, schemaVersion } from "../../../api-static/release/layout.ts";
import { sqlText } from "../../base/database.ts";
import { parquetFieldSql } from "../../releases/recordRows.ts";

/** The columns of both files. @param hasNames if the release has a list of organizations */
export function listColumns(hasNames: boolean): string[] {
  return [...recordFields, ...(hasNames ? Object.values(nameColumns) : [])];
}

/**
 * The names of each grant's funder and recipient, in the order of `grants`. A join of the wide rows would lose their order, and
 * sorting them would take twice the time.
 */
const namesSql = `CREATE TEMP TABLE names AS SELECT funder_name, recipient_organization_name FROM (
  SELECT grants.rowid AS place, funders.name AS funder_name, recipients.name AS recipient_organization_name FROM grants
  LEFT JOIN listed AS funders ON funders.ein = funder_ein
  LEFT JOIN listed AS recipients ON recipients.ein = recipient_ein
) ORDER BY place`;

/** SQL of a cell of the CSV file, as `csvCell` writes it. DuckDB quotes other texts too. */
function cellSql(column: string, hasText: boolean): string {
  if (!hasText) return column;
  const mustQuote = [",", '"', "\\r", "\\n"].map((part) => `contains(${column}, E'${part}')`);
  return `CASE WHEN ${mustQuote.join(" OR ")} THEN concat('"', replace(${column}, '"', '""'), '"') ELSE ${column} END`;
}

/** SQL of a row of the CSV file without its LF, which DuckDB adds. A null is an empty cell. */
function rowSql(hasNames: boolean): string {
  const sql = { ...parquetFieldSql, created_at: timestampSql("created_at") } as Partial<
    Record<string, string>
  >;
  const texts = [...textFields, ...Object.values(nameColumns)];
  const cells = listColumns(hasNames).map((name) => cellSql(sql[name] ?? name, texts.includes(name)));
  return `concat(${cells.join(", ',', ")}, chr(13))`;
}

/** Level 1 takes a third of the time of level 6 for files that are a fifth larger. */
const gzipLevel = 1;
const chunkBytes = 2 ** 20;

/** Which files are written, and what they have. */
export type GrantFiles = {
  readonly release: string;
  /** True to add the names of funders and recipients. */
  readonly hasNames: boolean;
  readonly hasCsv: boolean;
};

/**
 * Writes `grants.parquet` and `grants.csv.gz` into a release's folder from the tables `grants` and `listed`.
 * @param connection which has no other work
 */
export async function writeGrants(
  connection: DuckDBConnection,
  folder: string,
  { release, hasNames, hasCsv }: GrantFiles,
): Promise<void> {
  if (hasNames) await connection.run(namesSql);
  const from = `FROM grants${hasNames ? " POSITIONAL JOIN names" : ""}`;
  const sql: Partial<Record<string, string>> = parquetFieldSql;
  const columns = listColumns(hasNames).map((name) => `${sql[name] ?? name} AS ${name}`);
  const parquet = join(folder, parts.public, downloadKey("grants.parquet"));
  await connection.run(`COPY (SELECT ${columns.join(", ")} ${from}) TO '${sqlText(parquet)}' (FORMAT parquet, COMPRESSION zstd,
    WRITE_BLOOM_FILTER false, KV_METADATA {release: '${sqlText(release)}', schema: '${schemaVersion}'})`);
  if (hasCsv) await writeCsv(connection, folder, { from, hasNames });
  if (hasNames) await connection.run("DROP TABLE names");
}

async function writeCsv(
  connection: DuckDBConnection,
  folder: string,
  { from, hasNames }: { readonly from: string; readonly hasNames: boolean },
): Promise<void> {
  const plain = join(folder, "grants.csv"); // outside of the release's parts; removed below
  await connection.run(
    `COPY (SELECT ${rowSql(hasNames)} ${from}) TO '${sqlText(plain)}' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '')`,
  );
  await pipeline(
    async function* () {
      yield formatCsvHeader({ isEscapingFormulas: false, isForExcel: false, hasNames });
      yield* createReadStream(plain, { highWaterMark: chunkBytes });
    },
    createGzip({ level: gzipLevel, chunkSize: chunkBytes }),
    createWriteStream(join(folder, parts.public, downloadKey("grants.csv.gz"))),
  );
  await rm(plain);
}
