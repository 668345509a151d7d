// Asks Cloudflare or CloudFront to forget URLs.
import { SettingError } from "../../api-static/contract/environment.ts";
import { InputError } from "../base/failure.ts";
import type { StoreSettings } from "../bucket/storeSettings.ts";
import type { Purger } from "./purge.ts";

export type PurgeSettings = {
  readonly cdn: "none" | "cloudflare" | "cloudfront";
  /** The scheme and host that readers use, e.g., "https://grants.example.org". */
  readonly origin: string;
  readonly zone: string;
  readonly token: string;
  /** The address of Cloudflare's API. */
  readonly api: string;
  readonly distribution: string;
  readonly credentials: StoreSettings["credentials"];
};

/** Entries of one request to Cloudflare (https://developers.cloudflare.com/api/resources/cache/methods/purge/). */
const cloudflareBatch = 30;

/** Above this many entries, everything below /v1/ is purged by one prefix: each request counts toward a rate limit. */
const maxCloudflareEntries = 3_000;

/**
 * Who is asked, by the settings.
 * @throws SettingError if a setting is missing or wrong
 */
export function openPurger(settings: PurgeSettings): Purger {
  const { cdn, origin, zone, token, distribution } = settings;
  if (origin !== "" && !/^https?:\/\/[^/\s]+$/.test(origin))
    throw new SettingError(
      `PURGE_URL must be a scheme and a host such as https://grants.example.org, got "${origin}"`,
    );
  const check = (needed: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(needed))
      if (value === "") throw new SettingError(`PURGE=${cdn} needs ${name}`);
  };
  if (cdn === "cloudflare") {
    check({ PURGE_URL: origin, CLOUDFLARE_ZONE: zone, CLOUDFLARE_API_TOKEN: token });
    return { purge: (paths) => purgeCloudflare(settings, paths) };
  }
  if (cdn === "cloudfront") {
    check({ CLOUDFRONT_DISTRIBUTION: distribution });
    return { purge: (paths, reference) => purgeCloudfront(settings, paths, reference) };
  }
  return { purge: async () => {} };
}

/** Purges by prefix and by URL, in batches. */
async function purgeCloudflare(settings: PurgeSettings, paths: readonly string[]): Promise<void> {
  const { host } = new URL(settings.origin);
  const short = shorten(paths);
  const prefixes = short.filter((path) => path.endsWith("*")).map((path) => host + path.slice(0, -1));
  const files = short.filter((path) => !path.endsWith("*")).map((path) => settings.origin + path);
  const url = `${settings.api}/zones/${settings.zone}/purge_cache`;
  for (const [name, entries] of [
    ["prefixes", prefixes],
    ["files", files],
  ] as const) {
    for (let start = 0; start < entries.length; start += cloudflareBatch) {
      const response = await fetch(url, {
        method: "POST",
        headers: { Authorization: `Bearer ${settings.token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ [name]: entries.slice(start, start + cloudflareBatch) }),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await response.text();
      if (!response.ok)
        throw new InputError(`Cloudflare refused to purge (${response.status}): ${text.slice(0, 300)}`);
    }
  }
}

/** One prefix for everything below /v1/ if there are many paths. */
function shorten(paths: readonly string[]): readonly string[] {
  if (paths.length <= maxCloudflareEntries) return paths;
  return ["/v1/*", ...paths.filter((path) => !path.startsWith("/v1/"))];
}

/** Purges with one path, because each path costs: everything below /v1/, or everything if the site changed too. */
async function purgeCloudfront(
  { distribution, credentials }: PurgeSettings,
  paths: readonly string[],
  reference: string,
): Promise<void> {
  const { CloudFrontClient, CreateInvalidationCommand } = await import("@aws-sdk/client-cloudfront");
  const client = new CloudFrontClient({
    region: "us-east-1", // CloudFront has one region
    ...(credentials === undefined ? {} : { credentials }),
  });
  const Items = [paths.every((path) => path.startsWith("/v1/")) ? "/v1/*" : "/*"];
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
