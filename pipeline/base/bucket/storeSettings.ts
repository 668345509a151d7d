// Defines how to reach a store of buckets, without loading its client.

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
