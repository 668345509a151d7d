// Has Cloudflare or CloudFront purge URLs.

import {
  type Environment,
  readOneOf,
  readText,
  readUrl,
  SettingError,
} from "../../api-static/contract/environment.ts";
import { cacheTag } from "../../api-static/contract/sitePaths.ts";
import type { StoreSettings } from "../base/bucket/address.ts";
import { InputError } from "../base/failure.ts";

/** Entries of one request to Cloudflare (https://developers.cloudflare.com/cache/how-to/purge-cache/). */
const entriesPerRequest = 100;

/** Above this many entries, the whole host is purged: Cloudflare's free plan takes 25 requests at once, then one every 12 seconds. */
const maxEntries = 2_300;

const cloudflareApi = "https://api.cloudflare.com/client/v4";

export type PurgeSettings = ReturnType<typeof readPurgeSettings>;

/** @throws SettingError if a setting is missing or wrong */
export function readPurgeSettings(environment: Environment, credentials: StoreSettings["credentials"]) {
  const rule = "a scheme and a host such as https://grants.example.org";
  const settings = {
    cdn: readOneOf(environment, "PURGE", ["none", "cloudflare", "cloudfront"], "none"),
    /** The scheme and host that readers use. */
    origin: readUrl(environment, "PURGE_URL", rule, "").replace(/\/+$/, ""),
    zone: readText(environment, "CLOUDFLARE_ZONE", ""),
    token: readText(environment, "CLOUDFLARE_API_TOKEN", ""),
    api: readUrl(environment, "CLOUDFLARE_API", `a URL such as ${cloudflareApi}`, cloudflareApi),
    distribution: readText(environment, "CLOUDFRONT_DISTRIBUTION", ""),
    credentials,
  };
  const { cdn, origin, zone, token, distribution } = settings;
  if (origin !== "" && !/^https?:\/\/[^/\s]+$/.test(origin))
    throw new SettingError(`PURGE_URL must be ${rule}, got "${origin}"`);
  const needed = {
    none: {},
    cloudflare: { PURGE_URL: origin, CLOUDFLARE_ZONE: zone, CLOUDFLARE_API_TOKEN: token },
    cloudfront: { CLOUDFRONT_DISTRIBUTION: distribution },
  };
  for (const [name, value] of Object.entries(needed[cdn]))
    if (value === "") throw new SettingError(`PURGE=${cdn} needs ${name}`);
  return settings;
}

/**
 * Purges URLs at the CDN of the settings.
 * @param paths of the URLs; "*" stands for any text
 * @param reference a random text that names the purge
 */
export async function purge(
  settings: PurgeSettings,
  paths: readonly string[],
  reference: string,
): Promise<void> {
  if (settings.cdn === "cloudflare") await purgeCloudflare(settings, paths);
  if (settings.cdn === "cloudfront") await purgeCloudfront(settings, paths, reference);
}

/** The requests to Cloudflare: by prefix where "*" is the last character, by tag and by URL otherwise; or for the whole host. */
function* listRequests(origin: string, paths: readonly string[]): Generator<Record<string, string[]>> {
  const { host } = new URL(origin);
  if (paths.includes("/*") || paths.length > maxEntries) return yield { hosts: [host] };
  const others = paths.filter((path) => !path.endsWith("*"));
  const kinds = {
    prefixes: paths.filter((path) => path.endsWith("*")).map((path) => host + path.slice(0, -1)),
    // What the Worker keeps cannot be purged by URL; what a cache keeps without the Worker has no tags.
    tags: [...new Set(others.flatMap((path) => cacheTag(path) ?? []))],
    files: others.filter((path) => !path.includes("*")).map((path) => origin + path),
  };
  for (const [kind, entries] of Object.entries(kinds))
    for (let start = 0; start < entries.length; start += entriesPerRequest)
      yield { [kind]: entries.slice(start, start + entriesPerRequest) };
}

async function purgeCloudflare(
  { origin, api, zone, token }: PurgeSettings,
  paths: readonly string[],
): Promise<void> {
  for (const request of listRequests(origin, paths)) {
    const url = `${api}/zones/${zone}/purge_cache`;
    const response = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(60_000),
    }).catch(({ message, cause }: Error) => {
      const found = cause instanceof Error ? cause.message : message;
      throw new InputError(`Cloudflare did not answer at ${url}: ${found}`, { cause });
    });
    const text = await response.text();
    if (!response.ok || !/"success"\s*:\s*true/.test(text))
      throw new InputError(`Cloudflare refused to purge (${response.status}): ${text.slice(0, 300)}`);
  }
}

/**
 * The shortest list of CloudFront's paths that covers others: "*" may only be their last character, and each path costs. Those of
 * single funders are covered by that of all summaries.
 */
function shorten(paths: readonly string[]): string[] {
  const short: string[] = [];
  for (const path of paths.map((path) => path.replace(/\*.*/, "*")).sort()) {
    const last = short.at(-1); // paths that it covers follow it
    const isCovered = last?.endsWith("*") ? path.startsWith(last.slice(0, -1)) : path === last;
    if (!isCovered) short.push(path);
  }
  return short;
}

async function purgeCloudfront(
  { distribution, credentials }: PurgeSettings,
  paths: readonly string[],
  reference: string,
): Promise<void> {
  const Items = shorten(paths);
  if (Items.length === 0) return;
  const { CloudFrontClient, CreateInvalidationCommand } = await import("@aws-sdk/client-cloudfront");
  const client = new CloudFrontClient({
    region: "us-east-1", // CloudFront has one region
    ...(credentials === undefined ? {} : { credentials }),
  });
  try {
    await client.send(
      new CreateInvalidationCommand({
        DistributionId: distribution,
        InvalidationBatch: { CallerReference: reference, Paths: { Quantity: Items.length, Items } },
      }),
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new InputError(`CloudFront refused to purge: ${message}`, { cause: error });
  } finally {
    client.destroy();
  }
}
