// Checks and reads a Parquet file that a sync reads beside the grants, such as the list of organizations.
import type { DuckDBConnection } from "@duckdb/node-api";
import { hasLiteralPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { type Contract, resolveColumns } from "./columns.ts";
import { diagnoseReadFailure } from "./diagnosis.ts";
import { fingerprintFile } from "./fingerprint.ts";
import { type ColumnKinds, type Columns, namesOf, valueSql } from "./normalize.ts";
import {
  checkUnchanged,
  formatProblems,
  readFooters,
  readParquetList,
  type WarehouseFile,
} from "./warehouse.ts";

export type ListFile<Name extends string> = {
  /** How messages name the file: its setting, or its content, and its path. */
  readonly setting: string;
  readonly file: WarehouseFile;
  readonly columns: ColumnKinds<Name>;
  /** Sentences about the columns that a sync ignores. */
  readonly warnings: readonly string[];
};

type Expected<Name extends string> = Omit<Contract<Name>, "owner"> & {
  /** The setting that names the file, or its content. */
  readonly label: string;
  readonly minRows: 0 | 1;
};

/**
 * Checks the columns of a file by its footer.
 * @throws InputError that names the file and each wrong column
 */
export async function checkListFile<Name extends string>(
  connection: DuckDBConnection,
  path: string,
  { label, minRows, ...expected }: Expected<Name>,
): Promise<ListFile<Name>> {
  const setting = `${label} "${path}"`;
  if (!hasLiteralPath(path))
    throw new InputError(`${setting}: the path contains both "\\" and one of * ? [; rename it`);
  const fingerprint = await fingerprintFile(path).catch((error: unknown) => {
    if (error instanceof InputError) throw new InputError(`${label}: ${error.message}`, { cause: error });
    throw error;
  });
  const [footer] = await readFooters(connection, setting, [path]);
  if (footer === undefined) throw new Error(`no footer of ${path}`);
  const owner = `the ${label.toLowerCase()} have`;
  const { columns, warnings, problems } = resolveColumns([footer], { ...expected, owner });
  if (footer.rows < minRows) problems.push("it has no rows; expected at least one");
  if (problems.length > 0) throw new InputError(`${setting}: ${formatProblems(problems)}`);
  return { setting, file: { path, ...fingerprint, rows: footer.rows }, columns, warnings };
}

/** SQL that makes a table of normalized rows. */
type Reading<Name extends string> = {
  readonly table: string;
  readonly columns: Columns<Name>;
  /** What to select from the rows, e.g., "*". */
  readonly selected: string;
  /** Why a row is left out, as text; null if it is kept. */
  readonly reason: string;
};

/**
 * Reads the rows into a table, normalized like the warehouse's, each with its `reason` to be left out.
 * @param warn receives a line for each reason why rows are left out
 * @returns the number of rows that are kept
 * @throws InputError that names the file, and the column that cannot be read
 */
export async function readListFile<Name extends string>(
  connection: DuckDBConnection,
  { setting, file, columns: kinds }: ListFile<Name>,
  { table, columns, selected, reason }: Reading<Name>,
  warn: (line: string) => void,
): Promise<number> {
  const { from, values } = readParquetList([file.path]);
  const names = namesOf(columns);
  const normalized = names.map((name) => `${valueSql(columns, kinds, name)} AS ${name}`);
  try {
    await connection.run(
      `CREATE TABLE ${table} AS SELECT ${selected}, ${reason} AS reason
        FROM (SELECT ${normalized.join(", ")} FROM ${from} AS source)`,
      values,
    );
    await checkUnchanged({ files: [file] });
  } catch (error) {
    throw await diagnoseReadFailure(connection, { files: [file] }, error, names);
  }
  const reasons = await connection.runAndReadAll(
    `SELECT reason, count(*)::DOUBLE FROM ${table} GROUP BY reason ORDER BY reason`,
  );
  const counts = new Map(reasons.getRows().map(([why, rows]) => [why, Number(rows)]));
  for (const [why, rows] of counts)
    if (why !== null) warn(`warning: ${setting}: ${rows} rows are left out: ${why}`);
  return counts.get(null) ?? 0;
}
