// Reads the settings of buckets from the environment: where they are, how to reach them, and what to purge.
import {
  type Environment,
  quoteAddress,
  readInteger,
  readText,
  readUrl,
  SettingError,
} from "../../api-static/contract/environment.ts";
import { readSyncMinutes, readSyncScheduled } from "../../api-static/contract/schedule.ts";
import { type BucketAddress, parseAddress, type StoreSettings } from "../base/bucket/address.ts";
import { readData, readMemory, readThreads } from "../base/settings.ts";
import type { PublishSettings } from "./publish.ts";
import type { PullSettings } from "./pull.ts";
import { type PurgeSettings, readPurgeSettings } from "./purgers.ts";

export type PublishCommandSettings = PublishSettings & {
  readonly to: BucketAddress;
  readonly store: StoreSettings;
  /** Milliseconds without a sign of life after which another publisher counts as killed. */
  readonly lease: number;
  readonly purge: PurgeSettings;
};

/**
 * @param name of the setting with the bucket's address
 * @throws SettingError that names a wrong or missing setting, its rule and its value
 */
export function readPublishSettings(
  environment: Environment,
  name: "TO" | "PUBLISH",
): PublishCommandSettings {
  const store = readStoreSettings(environment);
  const purge = readPurgeSettings(environment, store.credentials);
  return {
    to: readAddress(environment, name),
    data: readData(environment),
    keep: readInteger(environment, "KEEP", 3, 1, 1000),
    isForced: readInteger(environment, "FORCE", 0, 0, 1) === 1,
    isDryRun: readInteger(environment, "DRY_RUN", 0, 0, 1) === 1,
    lease: 1000 * readInteger(environment, "LEASE_SECONDS", 15, 1, 3600),
    store,
    origin: purge.origin,
    isSyncScheduled: readSyncScheduled(environment),
    syncMinutes: readSyncMinutes(environment),
    purge,
  };
}

export type PullCommandSettings = PullSettings & {
  readonly from: BucketAddress;
  readonly store: StoreSettings;
};

/** @throws SettingError that names a wrong setting, its rule and its value */
export function readPullSettings(environment: Environment): PullCommandSettings {
  const memory = readMemory(environment);
  return {
    from: readAddress(environment, "FROM"),
    data: readData(environment),
    keep: readInteger(environment, "KEEP", 3, 1, 1000),
    isForced: readInteger(environment, "FORCE", 0, 0, 1) === 1,
    memory,
    threads: readThreads(environment, memory),
    store: readStoreSettings(environment),
  };
}

function readAddress(environment: Environment, name: string): BucketAddress {
  const text = readText(environment, name, "");
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw new SettingError(
    `${name} must be a bucket such as s3://bucket or s3://bucket/prefix, got ${quoteAddress(text)}`,
  );
}

/** How to reach a store. What is not set here is found by the SDK: profiles, roles, files of the user. */
export function readStoreSettings(environment: Environment): StoreSettings {
  const text = (name: string) => readText(environment, name, "") || undefined;
  const [accessKeyId, secretAccessKey] = [text("AWS_ACCESS_KEY_ID"), text("AWS_SECRET_ACCESS_KEY")];
  const sessionToken = text("AWS_SESSION_TOKEN");
  const hasKeys = accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    endpoint:
      readUrl(environment, "AWS_ENDPOINT_URL_S3", "a URL such as https://s3.example.org", "") || undefined,
    region: text("AWS_REGION"),
    credentials: hasKeys
      ? { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
      : undefined,
  };
}
