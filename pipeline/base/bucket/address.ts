// Parses the addresses of buckets, e.g., "s3://grants/live", and defines how to reach their store, without loading its client.

/** The start of every address of a bucket. */
const addressStart = "s3://";

/** A place in a bucket. */
export type BucketAddress = {
  readonly bucket: string;
  /** What the keys of all objects there start with: empty, or text that ends with "/". */
  readonly prefix: string;
};

/** True if the text of a setting names a bucket rather than a path. */
export function isAddress(text: string): boolean {
  return text.startsWith(addressStart);
}

/** The place that an address names; undefined if it is not "s3://", the name of a bucket, and perhaps "/" and a prefix. */
export function parseAddress(text: string): BucketAddress | undefined {
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  const segments = path.split("/").filter((segment) => segment !== "");
  if (segments.some((segment) => segment === "." || segment === "..")) return undefined;
  return { bucket, prefix: segments.map((segment) => `${segment}/`).join("") };
}

/** The address of an object, for messages. */
export function formatAddress({ bucket, prefix }: BucketAddress, name = ""): string {
  return `${addressStart}${bucket}/${prefix}${name}`;
}

/** How to reach a store; what is undefined comes from the usual files and services of AWS. */
export type StoreSettings = {
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined;
};

/** Everything comes from the usual files and services of AWS. */
export const usualStore: StoreSettings = { endpoint: undefined, region: undefined, credentials: undefined };
