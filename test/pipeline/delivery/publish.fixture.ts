// Publishes small releases to a store in memory, and compares what it holds with the files of a release.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { Bucket } from "../../../pipeline/base/bucket/bucket.ts";
import { Progress } from "../../../pipeline/base/progress.ts";
import { type PublishContext, type PublishSettings, publish } from "../../../pipeline/delivery/publish.ts";
import { readStoreSettings } from "../../../pipeline/delivery/settings.ts";
import type { Store, StoreObject } from "../base/bucket/store.fixture.ts";

/** Where releases are published in the store. */
export const prefix = "live/";

/** Milliseconds: a killed publisher must not hold up a test for long. */
const shortLease = 250;

const silence = { write: () => true };

/** @param pause before a request is repeated */
export function openBucket(
  store: Store,
  start = prefix,
  pause = (milliseconds: number): Promise<unknown> => sleep(Math.min(milliseconds, 2)),
): Bucket {
  const pauses = { random: Math.random, sleep: pause };
  return new Bucket({ bucket: store.bucket, prefix: start }, readStoreSettings(store.environment), pauses);
}

let publishers = 0;

/** Publishes the current release of a data folder in this process. Returns undefined if there is nothing to do. */
export async function publishHere(
  store: Store,
  data: string,
  settings: Partial<PublishSettings> = {},
  context: Partial<PublishContext> = {},
  pause?: () => Promise<unknown>,
) {
  const bucket = openBucket(store, prefix, pause);
  try {
    const { release, counts } = await publish(
      bucket,
      { data, keep: 3, isForced: false, isDryRun: false, origin: "", isSyncScheduled: false, ...settings },
      {
        progress: new Progress(silence, () => performance.now()),
        clock: () => new Date("2026-11-20T05:00:00Z"),
        purge: async () => {},
        publisher: `publisher ${publishers++}`,
        lease: shortLease,
        sleep,
        now: () => performance.now(),
        note: () => {},
        ...context,
      },
    );
    return counts && { release, ...counts };
  } finally {
    bucket.close();
  }
}

/** The objects that a release's public files must become: their bytes by key. */
export async function readExpected(release: string): Promise<Map<string, Buffer>> {
  const expected = new Map<string, Buffer>();
  const top = join(release, "public");
  for (const entry of await readdir(top, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.endsWith("/v1/changes")) continue; // they are not the release's
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(top.length + 1).replace(/\.json\.gz$/, ".json");
    expected.set(`${prefix}public/${key}`, await readFile(path));
  }
  return expected;
}

/** The keys whose files differ between two releases, and those that only the second one has. */
export function findDifferent(before: Map<string, Buffer>, after: Map<string, Buffer>): string[] {
  return [...after].filter(([key, body]) => !before.get(key)?.equals(body)).map(([key]) => key);
}

/** What a store holds, in a form to compare: without what depends on who wrote it and how often. */
export function describeStore(store: Store): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  for (const [key, object] of [...store.objects].sort(([a], [b]) => (a < b ? -1 : 1)))
    described[key] = describeObject(key, object);
  return described;
}

function describeObject(key: string, { body, etag, headers }: StoreObject): unknown {
  if (!key.endsWith("/publish.json") && !key.endsWith("/v1/status")) return { etag, headers };
  const { beat: _, age_seconds: __, next_sync: ___, ...others } = JSON.parse(body.toString());
  return { ...others, headers };
}

/** The text of a page file or of another file. */
export function readText(body: Buffer): string {
  return body[0] === 0x1f ? gunzipSync(body).toString() : body.toString();
}
