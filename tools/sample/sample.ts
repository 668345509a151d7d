// Writes a synthetic warehouse of several Parquet files for `make sample`. The same rows and seed give the same bytes.
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, listValue, structValue } from "@duckdb/node-api";
import { pathExists } from "fs-extra/esm";
import { openDatabase } from "../../pipeline/base/database.ts";
import { InputError } from "../../pipeline/base/failure.ts";
import {
  financesFileName,
  grantsFileName,
  organizationsFileName,
  readWarehouseFolder,
} from "../../pipeline/base/files.ts";
import { macrosSql } from "./draws.ts";
import { writeFinancesSql } from "./finances.ts";
import { isSampleList, writeOrganizationsSql } from "./organizations.ts";
import { recipientMacrosSql } from "./recipients.ts";
import { filingsSql, rowsOfFileSql, variablesSql, writeFileSql } from "./sql.ts";
import { paragraphsSql, vocabulary, wordsSql } from "./words.ts";

export type SampleOptions = {
  readonly rows: number;
  readonly seed: number;
  /**
   * Target of `grants-0000.parquet` and so on, of `organizations.parquet` and of `finances.parquet`. Files of an earlier sample are replaced.
   */
  readonly folder: string;
  /** The memory limit of DuckDB's buffers, e.g., "2GB". */
  readonly memory: string;
  readonly threads: number;
  readonly spillFolder: string;
};

const maxRows = 200_000_000;
/** Maximum rows of a file, which limits the memory for writing it. */
const maxRowsPerFile = 1_500_000;
/** Most small warehouses have several files too, so that reading more than one is tested. */
const filesWanted = 4;
const minRowsPerFile = 10_000;
/** 205,000 funders for 20 million rows; a few for 100 rows. */
const rowsPerFunder = 97.5;
const rowsOfFirstFunders = 1_000;
/** About 3 million spellings of names for 20 million rows. */
const rowsPerRecipient = 10;
const firstRecipients = 2_000;
/** About one row in 80 ends with a paragraph. A small sample has fewer of them, because they take half of its time. */
const rowsPerParagraph = 25;
const firstParagraphs = 40;
const maxParagraphs = 4_000;

/**
 * Writes a synthetic warehouse into `folder`, with a list of its funders and recipients and their finances, and returns the paths of its files of grants in
 * order, their rows and bytes. The files get their final names once all of them are written.
 * @throws InputError if `rows` or `seed` is out of range, the folder has anything but an earlier sample or import, or its organizations
 * or finances are not those of a sample
 */
export async function writeSample(
  options: SampleOptions,
): Promise<{ files: string[]; rows: number; bytes: number }> {
  const { rows, seed, folder } = options;
  checkInteger("ROWS", rows, 1, maxRows);
  checkInteger("SEED", seed, 0, Number.MAX_SAFE_INTEGER);
  const previous = await readWarehouseFolder(folder);
  const { instance, connection } = await openDatabase(options);
  try {
    const lists = [organizationsFileName, financesFileName].map((name) => join(folder, name));
    for (const list of lists) await checkReplaceable(connection, list);
    await planSample(connection, rows, seed);
    const grants = await writeFiles(connection, folder, countFiles(rows));
    await connection.run(variablesSql.organizations, { value: `${lists[0]}.tmp` }); // the finances read it
    for (const [index, statement] of [writeOrganizationsSql, writeFinancesSql].entries()) {
      await connection.run(variablesSql.path, { value: `${lists[index]}.tmp` });
      await connection.run(statement);
    }
    for (const file of [...grants.map((name) => join(folder, name)), ...lists])
      await rename(`${file}.tmp`, file);
    for (const name of previous) {
      if (!grants.includes(name)) await rm(join(folder, name), { force: true });
    }
    const files = grants.map((name) => join(folder, name));
    let bytes = 0;
    for (const file of files) bytes += (await stat(file)).size;
    return { files, rows, bytes };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function checkInteger(setting: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new InputError(`${setting} must be an integer from ${min} to ${max}, got "${value}"`);
}

/** @throws InputError if there is a file that `make sample` did not write */
async function checkReplaceable(connection: DuckDBConnection, list: string): Promise<void> {
  if (!(await pathExists(list)) || (await isSampleList(connection, list))) return;
  throw new InputError(
    `OUT: "${list}" would be replaced, but \`make sample\` did not write it; move it, or choose another folder`,
  );
}

function countFiles(rows: number): number {
  const several = Math.min(filesWanted, Math.ceil(rows / minRowsPerFile));
  return Math.max(several, Math.ceil(rows / maxRowsPerFile));
}

/** Defines macros and variables, and the tables of words and filings that all files use. */
export async function planSample(connection: DuckDBConnection, rows: number, seed: number): Promise<void> {
  const funders = Math.min(rows, Math.ceil((rows + rowsOfFirstFunders) / rowsPerFunder));
  const recipients = firstRecipients + Math.ceil(rows / rowsPerRecipient);
  const paragraphs = Math.min(maxParagraphs, firstParagraphs + Math.ceil(rows / rowsPerParagraph));
  const variables = { seed, rows, files: countFiles(rows), funders, recipients, paragraphs };
  for (const name of ["seed", "rows", "files", "funders", "recipients", "paragraphs"] as const) {
    await connection.run(variablesSql[name], { value: BigInt(variables[name]) });
  }
  const lists = Object.entries(vocabulary).map(([name, list]) => [name, listValue(list)] as const);
  await connection.run(variablesSql.vocabulary, { value: structValue(Object.fromEntries(lists)) });
  for (const statement of [macrosSql, recipientMacrosSql, wordsSql, paragraphsSql, filingsSql])
    await connection.run(statement);
}

/** Writes every file under its name with `.tmp` added. Returns the names without it. */
async function writeFiles(connection: DuckDBConnection, folder: string, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let file = 0; file < count; file += 1) {
    const name = grantsFileName(file);
    await connection.run(variablesSql.file, { value: BigInt(file) });
    await connection.run(variablesSql.path, { value: join(folder, `${name}.tmp`) });
    await connection.run(rowsOfFileSql);
    await connection.run(writeFileSql);
    names.push(name);
  }
  return names;
}
