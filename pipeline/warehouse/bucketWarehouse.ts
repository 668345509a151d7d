// Copies a warehouse in a bucket into a local cache, and notices from the listing alone that it did not change.
import { readFile, rename, rm, rmdir, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import { formatAddress, isAddress, type StoreSettings } from "../base/bucket/address.ts";
import { Bucket, ChangedObject, type ListedObject } from "../base/bucket/bucket.ts";
import { statusOf } from "../base/bucket/failures.ts";
import { InputError } from "../base/failure.ts";
import { isGrantsFile, listTree, makeFolder, replaceFile } from "../base/files.ts";
import type { Progress } from "../base/progress.ts";
import { cachedPath, literalStart, parsePlace, selectObjects, splitName } from "./bucketNames.ts";
import { financesBeside, listUsualPlaces } from "./organizations.ts";
import { checkNoTable, markerFolders } from "./tableFormats.ts";
import type { WarehouseFile } from "./warehouse.ts";

/** Objects downloaded at once. */
const downloadsAtOnce = 8;

/** The file of the cache that lists the ETag of each of its objects. */
const indexName = "etags.json";

/** Settings that may be addresses of a bucket. */
type Addresses = { readonly warehouse: string; readonly organizations: string };

type Found = ListedObject & { readonly url: string; readonly bucket: Bucket; readonly path: string };

/** The objects of a warehouse, of its organizations and their finances, or of both, as they were listed. */
export class BucketWarehouse {
  readonly #found: readonly Found[];
  readonly #cache: string;
  readonly #settings: Addresses;

  private constructor(found: readonly Found[], cache: string, settings: Addresses) {
    this.#found = found;
    this.#cache = cache;
    this.#settings = settings;
  }

  /**
   * Lists the objects of a warehouse and of its organizations.
   * @param cache the folder of the local copy
   * @throws InputError if there are none
   */
  static async list(settings: Addresses, store: StoreSettings, cache: string): Promise<BucketWarehouse> {
    const found = await listSetting("WAREHOUSE", settings.warehouse, store, cache);
    if (found.length === 0 && isAddress(settings.warehouse))
      throw new InputError(`WAREHOUSE "${settings.warehouse}": no Parquet files (*.parquet) there`);
    const organizations =
      settings.organizations === ""
        ? await listUsual(settings.warehouse, store, cache)
        : await listSetting("ORGANIZATIONS", settings.organizations, store, cache);
    const finances = await listFinances(organizations, store, cache);
    const byUrl = new Map([...found, ...organizations, ...finances].map((object) => [object.url, object]));
    return new BucketWarehouse([...byUrl.values()], cache, settings);
  }

  /** How a release's manifest lists a file of the cache: by its address, its ETag and its time in the bucket. */
  describe(file: WarehouseFile): WarehouseFile {
    const object = this.#found.find(({ path }) => path === file.path);
    if (object === undefined) return file;
    const { url, etag, modifiedAt } = object;
    return { ...file, path: url, modifiedAt: modifiedAt.toISOString(), etag };
  }

  /** True if the bucket still has exactly the objects that a release was made from. */
  isSame(files: readonly WarehouseFile[]): boolean {
    const keyOf = (url: string, bytes: number, etag: string | undefined) => `${etag} ${bytes} ${url}`;
    const listed = new Set(this.#found.map(({ url, bytes, etag }) => keyOf(url, bytes, etag)));
    const recorded = new Set(files.map(({ path, bytes, etag }) => keyOf(path, bytes, etag)));
    return listed.size === recorded.size && [...listed].every((key) => recorded.has(key));
  }

  /**
   * Downloads the objects that the cache does not have with the same ETag, and removes everything else from it. Returns the
   * settings with paths in the cache.
   * @throws InputError if an object changed since it was listed
   */
  async fetch(progress: Progress): Promise<Addresses> {
    const known = await readIndex(this.#cache);
    const kept: Record<string, string> = {};
    const missing: Found[] = [];
    for (const object of this.#found) {
      if (known[object.url] === object.etag && (await isWhole(object))) kept[object.url] = object.etag;
      else missing.push(object);
    }
    await removeOthers(this.#cache, new Set(this.#found.map(({ path }) => path)));
    try {
      const bytes = missing.reduce((sum, object) => sum + object.bytes, 0);
      await progress.run("fetch files", bytes, "bytes", async (onProgress) => {
        let done = 0;
        await pLimit(downloadsAtOnce).map(missing, async (object) => {
          await download(object);
          kept[object.url] = object.etag;
          done += object.bytes;
          onProgress(done);
        });
      });
    } finally {
      await makeFolder(this.#cache);
      await replaceFile(join(this.#cache, indexName), `${JSON.stringify(kept, null, 2)}\n`);
    }
    const { warehouse, organizations } = this.#settings;
    return {
      warehouse: cachedPath(this.#cache, warehouse),
      organizations: cachedPath(this.#cache, organizations),
    };
  }

  close(): void {
    for (const bucket of new Set(this.#found.map(({ bucket }) => bucket))) bucket.close();
  }
}

async function listSetting(
  setting: string,
  address: string,
  store: StoreSettings,
  cache: string,
): Promise<Found[]> {
  const place = parsePlace(address);
  if (place === undefined) {
    if (!address.startsWith("s3://")) return [];
    throw new InputError(`${setting} must be a bucket such as s3://bucket/folder/, got "${address}"`);
  }
  const bucket = new Bucket({ bucket: place.bucket, prefix: "" }, store);
  const listed: ListedObject[] = [];
  for await (const object of bucket.list(literalStart(place.path))) listed.push(object);
  const named = selectObjects(setting, place.path, listed);
  const selected = setting === "WAREHOUSE" ? named.filter(({ name }) => isGrantsFile(name)) : named;
  if (selected.length === 0) bucket.close();
  else if (setting === "WAREHOUSE") await checkPlainObjects(bucket, address, place.path, selected, listed);
  return selected.map((object) => {
    const segments = splitName(object.name);
    if (segments.join("/") !== object.name || segments.some((segment) => segment === "." || segment === ".."))
      throw new InputError(`${setting} "${address}": the key "${object.name}" cannot be the name of a file`);
    const url = formatAddress(bucket.address, object.name);
    return { ...object, url, bucket, path: join(cache, place.bucket, object.name) };
  });
}

/** @throws InputError if an object is part of a table: those listed with it, or the folders above, say so */
async function checkPlainObjects(
  bucket: Bucket,
  address: string,
  path: string,
  selected: readonly ListedObject[],
  listed: readonly ListedObject[],
): Promise<void> {
  const others = listed.map(({ name }) => name);
  const above = splitName(literalStart(path));
  while (above.pop() !== undefined) {
    for (const marker of markerFolders) {
      try {
        for await (const { name } of bucket.list([...above, marker, ""].join("/"))) others.push(name);
      } catch (error) {
        if (!(error instanceof InputError && statusOf(error.cause) === 403)) throw error; // may not look there
      }
    }
  }
  const addresses = (names: readonly string[]) => names.map((name) => formatAddress(bucket.address, name));
  const files = addresses(selected.map(({ name }) => name));
  checkNoTable(`WAREHOUSE "${address}"`, files, addresses(others));
}

/** The organizations in the warehouse's folder, or beside the warehouse. */
async function listUsual(warehouse: string, store: StoreSettings, cache: string): Promise<Found[]> {
  const place = parsePlace(warehouse);
  if (place === undefined) return [];
  for (const address of listUsualPlaces(`s3://${place.bucket}/${place.path}`)) {
    const found = await listSetting("ORGANIZATIONS", address, store, cache);
    if (found.some(({ url }) => url === address)) return found;
  }
  return [];
}

/** The finances beside the organizations. */
async function listFinances(
  organizations: readonly Found[],
  store: StoreSettings,
  cache: string,
): Promise<Found[]> {
  const listed = organizations.map(({ url }) =>
    listSetting("ORGANIZATIONS", financesBeside(url), store, cache),
  );
  return (await Promise.all(listed)).flat();
}

/** Downloads an object under a draft's name first, so that the cache never has a part of one. */
async function download({ bucket, name, path, url, etag, modifiedAt }: Found): Promise<void> {
  const draft = `${path}.draft`;
  await makeFolder(dirname(path));
  const isThere = await bucket.download(name, draft, etag).catch((error: unknown) => {
    if (error instanceof ChangedObject) return false;
    throw error;
  });
  if (!isThere)
    throw new InputError(
      `"${url}" changed while the warehouse was read. Start the sync after the export ends`,
    );
  await utimes(draft, modifiedAt, modifiedAt);
  await rename(draft, path);
}

async function isWhole({ path, bytes }: Found): Promise<boolean> {
  return stat(path).then(
    ({ size }) => size === bytes,
    () => false,
  );
}

/** The ETags of the cache's objects by address; none if the index is missing or damaged. */
async function readIndex(cache: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(cache, indexName), "utf8").catch(() => "{}");
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return {};
  }
}

/** Removes files that are not part of the warehouse, so that the cache is never larger than that. */
async function removeOthers(cache: string, paths: ReadonlySet<string>): Promise<void> {
  for (const name of await listTree(cache)) {
    const path = join(cache, name);
    if (name === indexName || paths.has(path)) continue;
    await rm(path, { recursive: true });
    await rmdir(dirname(path)).catch(() => {}); // it has other files
  }
}
