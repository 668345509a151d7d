// Finds the inputs of a sync: the files of the warehouse, from this machine or from a bucket, and the organizations.
import type { DuckDBConnection } from "@duckdb/node-api";
import { isAddress, type StoreSettings } from "../base/bucket/address.ts";
import type { Progress } from "../base/progress.ts";
import type { BucketWarehouse } from "../warehouse/bucketWarehouse.ts";
import { findFiles } from "../warehouse/files.ts";
import { readObjections } from "../warehouse/objections.ts";
import { findFinances, findOrganizations } from "../warehouse/organizations.ts";
import { checkWarehouse, type WarehouseFile } from "../warehouse/warehouse.ts";
import { checkOutside, warehouseCache } from "./folders.ts";
import { digestInputs, type Manifest, type SearchSettings } from "./manifest.ts";

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

export type FoundInputs = Awaited<ReturnType<typeof findInputs>>;

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
  site: Manifest["parts"],
): boolean {
  const { sources, organizations, finances } = manifest;
  const files = [...sources, organizations, finances].filter((file) => file !== null);
  if (settings.objections !== "" || !bucket.isSame(files)) return false;
  const { searches, downloads } = settings;
  const inputs = { sources, organizations, finances, objections: null, searches, downloads };
  return manifest.made_from === digestInputs(inputs, site);
}

/**
 * Finds and checks the files; downloads them first if they are in a bucket. `sealed` is how the manifest lists them, with their digest.
 * @throws InputError if a file is missing or wrong
 */
export async function findInputs(
  connection: DuckDBConnection,
  settings: InputSettings,
  bucket: BucketWarehouse | undefined,
  site: Manifest["parts"],
  progress: Progress,
) {
  const local = { ...settings, ...(await bucket?.fetch(progress)) };
  const organizations = await findOrganizations(connection, local);
  const finances = await findFinances(connection, organizations);
  const beside = [organizations, finances].filter((file) => file !== undefined);
  const named = local.organizations === "" ? [] : [local.organizations];
  await checkOutside(settings.data, await findFiles(local.warehouse, named)); // a release has files with other columns
  const warehouse = await checkWarehouse(connection, local.warehouse, named);
  for (const warning of [warehouse, ...beside].flatMap(({ warnings }) => warnings))
    progress.note(`warning: ${warning}; it is ignored`);
  await checkOutside(
    settings.data,
    beside.map(({ file }) => file.path),
  );
  const describe = (file: WarehouseFile) => bucket?.describe(file) ?? file;
  const describeFound = (found: { readonly file: WarehouseFile } | undefined) =>
    found === undefined ? null : describe(found.file);
  const objected =
    settings.objections === "" ? undefined : await readObjections(connection, settings.objections);
  const inputs = {
    sources: warehouse.files.map(describe),
    organizations: describeFound(organizations),
    finances: describeFound(finances),
    objections: objected?.sha256 ?? null,
    searches: settings.searches,
    downloads: settings.downloads,
  };
  const sealed = { made_from: digestInputs(inputs, site), ...inputs };
  return { warehouse, organizations, finances, objections: objected?.objections ?? [], sealed };
}
