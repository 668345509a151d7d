// Finds and checks the files about organizations: the list, which gives names to EINs, and the finances beside it.
import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isAbsence, systemCode } from "../../api-static/release/systemErrors.ts";
import { financesFileName, organizationsFileName } from "../base/files.ts";
import { checkListFile, type ListFile } from "./listFile.ts";
import {
  type FinanceColumn,
  financeColumns,
  type OrganizationColumn,
  organizationColumns,
} from "./normalize.ts";

export type OrganizationsFile = ListFile<OrganizationColumn>;
export type FinancesFile = ListFile<FinanceColumn>;

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
  if (path === undefined) return undefined;
  return checkListFile(connection, resolve(path), {
    label: "ORGANIZATIONS",
    columns: organizationColumns,
    unread: ["country", "source", "group_number"],
    minRows: 1,
  });
}

/**
 * Finds and checks `finances.parquet` beside the file of organizations. Returns undefined if there is none. Reads its footer only.
 * @throws InputError that names the file and the wrong column
 */
export async function findFinances(
  connection: DuckDBConnection,
  organizations: OrganizationsFile | undefined,
): Promise<FinancesFile | undefined> {
  if (organizations === undefined) return undefined;
  const path = financesBeside(organizations.file.path);
  if (!(await exists(path))) return undefined;
  return checkListFile(connection, path, {
    label: "finances",
    columns: financeColumns,
    unread: [],
    minRows: 0,
  });
}

/** The path or address of the finances that belong to a list of organizations. */
export function financesBeside(organizations: string): string {
  return `${organizations.slice(0, organizations.lastIndexOf("/") + 1)}${financesFileName}`;
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
