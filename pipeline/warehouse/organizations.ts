// Finds and checks the file of organizations, which gives names to EINs.
import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isAbsence, systemCode } from "../../api-static/release/systemErrors.ts";
import { hasLiteralPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { organizationsFileName } from "../base/files.ts";
import { escapeControls } from "../base/table.ts";
import { type FileColumn, findKind, formatNames, nameKinds, nullType } from "./columns.ts";
import { fingerprintFile } from "./fingerprint.ts";
import { type ColumnKinds, namesOf, type OrganizationColumn, organizationColumns } from "./normalize.ts";
import { formatProblems, readFooters, type WarehouseFile } from "./warehouse.ts";

/** Columns without a warning that an import writes and a sync does not read. */
const unreadColumns = ["country", "subsection", "source"];

export type OrganizationsFile = {
  readonly file: WarehouseFile;
  readonly columns: ColumnKinds<OrganizationColumn>;
  /** Sentences about the columns that a sync ignores. */
  readonly warnings: readonly string[];
};

type Settings = { readonly organizations: string; readonly warehouse: string };

/**
 * Finds and checks the file of organizations: the one that ORGANIZATIONS names, or else `organizations.parquet` in the
 * warehouse's folder, or else beside the warehouse. Returns undefined if there is none. Reads its footer only.
 * @throws InputError that names the file and the wrong column
 */
export async function findOrganizations(
  connection: DuckDBConnection,
  settings: Settings,
): Promise<OrganizationsFile | undefined> {
  const path = settings.organizations === "" ? await findUsual(settings.warehouse) : settings.organizations;
  return path === undefined ? undefined : checkOrganizations(connection, resolve(path));
}

/** Where the file is looked for if ORGANIZATIONS is not set: in the warehouse's folder, then beside the warehouse. */
export function listUsualPlaces(warehouse: string): string[] {
  const [, bucket, key = ""] = /^(s3:\/\/[^/]+)(.*)$/s.exec(warehouse) ?? [];
  if (bucket === undefined)
    return [warehouse, dirname(resolve(warehouse))].map((folder) => resolve(folder, organizationsFileName));
  const folders = [key, dirname(key)].map((folder) => join("/", folder, organizationsFileName));
  return [...new Set(folders)].map((path) => `${bucket}${path}`);
}

/** The warning for a release without organizations. */
export function formatMissing(warehouse: string): string {
  const places = listUsualPlaces(warehouse).map((place) => `"${place}"`);
  return `warning: funders have no names: there is no ${places.join(" or ")}`;
}

async function findUsual(warehouse: string): Promise<string | undefined> {
  for (const path of listUsualPlaces(warehouse)) if (await exists(path)) return path;
  return undefined;
}

/** True also for a dangling link, and for a path that cannot be read: reading it reports what is wrong. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => !isAbsence(error) && systemCode(error) !== "ENAMETOOLONG",
  );
}

async function checkOrganizations(connection: DuckDBConnection, path: string): Promise<OrganizationsFile> {
  const setting = `ORGANIZATIONS "${path}"`;
  if (!hasLiteralPath(path))
    throw new InputError(`${setting}: the path contains both "\\" and one of * ? [; rename it`);
  const fingerprint = await fingerprintFile(path).catch((error: unknown) => {
    if (error instanceof InputError)
      throw new InputError(`ORGANIZATIONS: ${error.message}`, { cause: error });
    throw error;
  });
  const [footer] = await readFooters(connection, setting, [path]);
  if (footer === undefined) throw new Error(`no footer of ${path}`);
  const problems: string[] = [];
  const mistyped: string[] = [];
  const columns: ColumnKinds<OrganizationColumn> = {};
  for (const name of namesOf(organizationColumns)) {
    const isExtra = organizationColumns[name].presence === "extra";
    const found = footer.columns.find((column) => isNamed(column, name));
    const wrong = found === undefined && isExtra ? [] : findProblems(footer.columns, name);
    (isExtra ? mistyped : problems).push(...wrong);
    const kind = findKind(found?.type ?? "");
    if (kind !== undefined && wrong.length === 0) columns[name] = kind;
  }
  if (footer.rows === 0) problems.push("it has no rows; expected at least one");
  if (problems.length > 0) throw new InputError(`${setting}: ${formatProblems(problems)}`);
  const known: string[] = [...namesOf(organizationColumns), ...unreadColumns];
  const unknown = footer.columns
    .map(({ name }) => name)
    .filter((name) => !known.includes(name.toLowerCase()))
    .sort();
  const warnings = unknown.map((name) => `the organizations have an unknown column ${escapeControls(name)}`);
  return { file: { path, ...fingerprint, rows: footer.rows }, columns, warnings: [...warnings, ...mistyped] };
}

/** As in DuckDB, case does not matter. */
function isNamed(column: FileColumn, name: OrganizationColumn): boolean {
  return column.name.toLowerCase() === name;
}

/** A sentence for a column that is missing, of a wrong type, or there twice. */
function findProblems(columns: readonly FileColumn[], name: OrganizationColumn): string[] {
  const [found, ...others] = columns.filter((column) => isNamed(column, name));
  const names = formatNames(columns.map((column) => column.name));
  if (found === undefined) return [`required column "${name}" is missing; the columns found are ${names}`];
  if (others.length > 0) return [`columns named "${name}" differ only in case; expected one of them`];
  const { read, presence } = organizationColumns[name];
  const isNull = found.type === nullType && presence !== "filled";
  if (isNull || findKind(found.type, read) !== undefined) return [];
  return [`column "${name}" has type ${found.type}; expected ${nameKinds(read, " or ")}`];
}
