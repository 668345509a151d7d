// Reads the states of funders and recipients from a warehouse with plain SQL, for comparisons with the index.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { recordFields } from "../../../api-static/contract/answers/record.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { isGrantsFile } from "../../../pipeline/base/files.ts";

/** The states of a grant's funder and recipient; null if they are unknown. */
export type GrantPlaces = { readonly funder: string | null; readonly recipient: string | null };

const stateSql = (column: string) =>
  `CASE WHEN regexp_full_match(trim(${column}), '[A-Za-z]{2}') THEN upper(trim(${column})) END`;

const einSql = (column: string) => `lpad(regexp_replace(${column}::VARCHAR, '[^0-9]', '', 'g'), 9, '0')`;

/**
 * The places of grants by id. Without them in any file, those of recipients are in the list of organizations beside the warehouse.
 * @param warehouse a file, or a folder of files
 */
export async function readPlaces(warehouse: string): Promise<ReadonlyMap<number, GrantPlaces>> {
  const isFolder = statSync(warehouse).isDirectory();
  const names = isFolder ? readdirSync(warehouse).filter((name) => name.endsWith(".parquet")) : [];
  const files = names.filter(isGrantsFile).map((name) => join(warehouse, name));
  const list = join(warehouse, "organizations.parquet");
  const { connection, instance } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  try {
    const quoted = (isFolder ? files : [warehouse]).map((path) => `'${path}'`).join(", ");
    const source = `read_parquet([${quoted}], union_by_name = true)`;
    const columns = (await connection.runAndReadAll(`DESCRIBE FROM ${source}`))
      .getRows()
      .map(([name]) => name);
    const listed = existsSync(list)
      ? `SELECT ${einSql("ein")} AS ein, ${stateSql("state")} AS state FROM '${list}'`
      : "SELECT NULL AS ein, NULL AS state WHERE false";
    const greatest = recordFields.map((field) => `${field} DESC NULLS LAST`).join(", ");
    const isFiled = columns.includes("recipient_state");
    const rows = await connection.runAndReadAll(`
      WITH listed AS (${listed}),
        kept AS (FROM ${source} QUALIFY row_number() OVER (PARTITION BY id ORDER BY created_at::VARCHAR DESC, ${greatest}) = 1)
      SELECT id::DOUBLE, funders.state, ${isFiled ? stateSql("recipient_state") : "recipients.state"} FROM kept
      LEFT JOIN listed AS funders ON funders.ein = ${einSql("funder_ein")}
      LEFT JOIN listed AS recipients ON recipients.ein = ${einSql("recipient_ein")}`);
    return new Map(
      rows
        .getRows()
        .map(([id, funder, recipient]) => [
          Number(id),
          { funder: funder as string | null, recipient: recipient as string | null },
        ]),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
