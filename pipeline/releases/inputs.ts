// Finds the inputs of a sync: the files of the warehouse, from this machine or from a bucket, and the organizations.
import { isDeepStrictEqual } from "node:util";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isAddress, type StoreSettings } from "../base/bucket/address.ts";
import type { Progress } from "../base/progress.ts";
import type { BucketWarehouse } from "../warehouse/bucketWarehouse.ts";
import { findFiles } from "../warehouse/files.ts";
import { type Objection, readObjections } from "../warehouse/objections.ts";
import { findOrganizations, type OrganizationsFile } from "../warehouse/organizations.ts";
import { checkWarehouse, type Warehouse } from "../warehouse/warehouse.ts";
import { checkOutside, warehouseCache } from "./folders.ts";
import { type Inputs, inputsOf, type Manifest, type SearchSettings, schemaVersion } from "./manifest.ts";

/** The settings that name the inputs. */
export type InputSettings = {
  /** File, folder, glob or bucket of Parquet. */
  readonly warehouse: string;
  /** Parquet file of organizations; "" for the usual place. */
  readonly organizations: string;
  /** CSV file of objections to matches; "" for none. */
  readonly objections: string;
  /** Folder that holds the releases. */
  readonly data: string;
  /** Which searches get page files. */
  readonly searches: SearchSettings;
  /** True to write the files with all grants. */
  readonly downloads: boolean;
};

export type FoundInputs = {
  readonly warehouse: Warehouse;
  readonly organizations: OrganizationsFile | undefined;
  readonly objections: readonly Objection[];
  /** How the manifest lists the files, and what else shapes a release. */
  readonly inputs: Inputs;
};

/** The warehouse in a bucket, if the settings name one. The client of S3 is loaded only then. */
export async function listBucket(
  settings: InputSettings,
  store: StoreSettings,
): Promise<BucketWarehouse | undefined> {
  if (!isAddress(settings.warehouse) && !isAddress(settings.organizations)) return undefined;
  const { BucketWarehouse } = await import("../warehouse/bucketWarehouse.ts");
  return BucketWarehouse.list(settings, store, warehouseCache(settings.data));
}

/** True if a release was made from the objects that a bucket lists, and from the same settings and site. Objections are read anew. */
export function isMadeFrom(
  bucket: BucketWarehouse,
  manifest: Manifest,
  settings: InputSettings,
  site: Inputs["site"],
): boolean {
  if (settings.objections !== "") return false;
  const { sources, organizations } = manifest;
  const files = organizations === null ? sources : [...sources, organizations];
  const { searches, downloads } = settings;
  const own = { sources, organizations, objections: null, searches, downloads, site };
  const inputs = { schema_version: schemaVersion, ...own };
  return bucket.isSame(files) && isDeepStrictEqual(inputsOf(manifest), inputs);
}

/**
 * Finds and checks the files; downloads them first if they are in a bucket.
 * @throws InputError if a file is missing or wrong
 */
export async function findInputs(
  connection: DuckDBConnection,
  settings: InputSettings,
  bucket: BucketWarehouse | undefined,
  site: Inputs["site"],
  progress: Progress,
): Promise<FoundInputs> {
  const local = { ...settings, ...(await bucket?.fetch(progress)) };
  const organizations = await findOrganizations(connection, local);
  const named = local.organizations === "" ? [] : [local.organizations];
  await checkOutside(settings.data, await findFiles(local.warehouse, named)); // a release has files with other columns
  const warehouse = await checkWarehouse(connection, local.warehouse, named);
  for (const warning of [...warehouse.warnings, ...(organizations?.warnings ?? [])])
    progress.note(`warning: ${warning}; it is ignored`);
  const files = [...warehouse.files, ...(organizations === undefined ? [] : [organizations.file])];
  if (organizations !== undefined) await checkOutside(settings.data, [organizations.file.path]);
  const described = files.map((file) => bucket?.describe(file) ?? file);
  const objected =
    settings.objections === "" ? undefined : await readObjections(connection, settings.objections);
  const inputs = {
    schema_version: schemaVersion,
    sources: described.slice(0, warehouse.files.length),
    organizations: described[warehouse.files.length] ?? null,
    objections: objected?.sha256 ?? null,
    searches: settings.searches,
    downloads: settings.downloads,
    site,
  };
  return { warehouse, organizations, objections: objected?.objections ?? [], inputs };
}
