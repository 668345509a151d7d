// Finds and checks the file of organizations, which gives names to EINs.
import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isAbsence, systemCode } from "../../api-static/release/systemErrors.ts";
import { hasLiteralPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { organizationsFileName } from "../base/files.ts";
import { escapeControls } from "../base/table.ts";
import { type ColumnKind, type FileColumn, findKind, formatNames, nullType } from "./columns.ts";
import { fingerprintFile } from "./fingerprint.ts";
import { formatProblems, readFooters, type WarehouseFile } from "./warehouse.ts";

/** The required columns of the file, in the order of a response. */
const requiredFields = ["ein", "name", "city", "state"] as const;

/**
 * Columns that may be absent. `sort_name` is a second name, e.g., that of a chapter. The others tell which organizations may be a
 * grant's recipient; a row has its name and place from `first_period` to `period`, e.g., "2023-06".
 */
const optionalFields = ["sort_name", "zip", "ruling_year", "first_period", "period"] as const;

/** The columns that are read. */
export const organizationFields = [...requiredFields, ...optionalFields] as const;

/** Columns without a warning: an import also writes these, which a sync does not read. */
const knownColumns: readonly string[] = [
  ...organizationFields,
  ...["country", "ntee_code", "subsection", "source"],
];

export type OrganizationField = (typeof organizationFields)[number];

export type OrganizationsFile = {
  readonly file: WarehouseFile;
  /** How each column is read; a column is absent if it has no type because it has only nulls. */
  readonly columns: Partial<Record<OrganizationField, ColumnKind>>;
  /** Sentences about the columns that a sync ignores. */
  readonly warnings: readonly string[];
};

type Settings = { readonly organizations: string; readonly warehouse: string };

const accepted: Readonly<Record<OrganizationField, readonly ColumnKind[]>> = {
  ein: ["text", "integer"],
  name: ["text"],
  city: ["text"],
  state: ["text"],
  sort_name: ["text"],
  zip: ["text"],
  ruling_year: ["integer"],
  first_period: ["text"],
  period: ["text"],
};

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
  const problems = requiredFields.flatMap((field) => findProblems(footer.columns, field));
  if (footer.rows === 0) problems.push("it has no rows; expected at least one");
  if (problems.length > 0) throw new InputError(`${setting}: ${formatProblems(problems)}`);
  const mistyped: string[] = [];
  const columns: Partial<Record<OrganizationField, ColumnKind>> = {};
  for (const field of organizationFields) {
    const found = footer.columns.find(isNamed(field));
    const wrong = found === undefined ? [] : findProblems(footer.columns, field);
    mistyped.push(...wrong);
    const kind = findKind(found?.type ?? "");
    if (kind !== undefined && wrong.length === 0) columns[field] = kind;
  }
  const unknown = footer.columns
    .map(({ name }) => name)
    .filter((name) => !knownColumns.includes(name.toLowerCase()))
    .sort();
  const warnings = unknown.map((name) => `the organizations have an unknown column ${escapeControls(name)}`);
  return { file: { path, ...fingerprint, rows: footer.rows }, columns, warnings: [...warnings, ...mistyped] };
}

/** As in DuckDB, case does not matter. */
function isNamed(field: OrganizationField): (column: FileColumn) => boolean {
  return ({ name }) => name.toLowerCase() === field;
}

/** A sentence for a column that is missing, of a wrong type, or there twice. */
function findProblems(columns: readonly FileColumn[], field: OrganizationField): string[] {
  const [found, ...others] = columns.filter(isNamed(field));
  const names = formatNames(columns.map(({ name }) => name));
  if (found === undefined) return [`required column "${field}" is missing; the columns found are ${names}`];
  if (others.length > 0) return [`columns named "${field}" differ only in case; expected one of them`];
  const kind = findKind(found.type);
  const isNull = found.type === nullType && field !== "ein" && field !== "name";
  if (isNull || (kind !== undefined && accepted[field].includes(kind))) return [];
  return [`column "${field}" has type ${found.type}; expected ${accepted[field].map(nameKind).join(" or ")}`];
}

function nameKind(kind: ColumnKind): string {
  return kind === "text" ? "VARCHAR" : "an integer type";
}
