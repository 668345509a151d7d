// Runs `make publish` and `make pull`. Both return the line to print, and the release that they leave.
import { randomUUID } from "node:crypto";
import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { formatAddress } from "../base/bucket/address.ts";
import { Bucket } from "../base/bucket/bucket.ts";
import { formatCount, formatSeconds, type Progress } from "../base/progress.ts";
import { DryRun } from "./dryRun.ts";
import { publish } from "./publish.ts";
import { pull } from "./pull.ts";
import { purge } from "./purgers.ts";
import type { PublishCommandSettings, PullCommandSettings } from "./settings.ts";

/** The line to print, and the release that the bucket or the data folder then has. */
type Outcome = { readonly line: string; readonly release: string };

/** Publishes the current release. */
export async function runPublish(
  settings: PublishCommandSettings,
  progress: Progress,
  clock: () => Date,
): Promise<Outcome> {
  const now = () => uptime() * 1000; // also counts the time in which the machine is suspended
  const start = now();
  const bucket = new Bucket(settings.to, settings.store);
  const address = formatAddress(settings.to);
  try {
    const dryRun = settings.isDryRun ? new DryRun(bucket) : undefined;
    const { release, counts } = await publish(bucket, settings, {
      progress,
      clock,
      now,
      sleep,
      note: progress.note,
      purge: (paths, reference) => purge(settings.purge, paths, reference),
      lease: settings.lease,
      publisher: randomUUID(),
    });
    if (counts === undefined)
      return { release, line: `publish: nothing new; ${address} holds the current release` };
    if (dryRun !== undefined) return { release, line: dryRun.format(release, counts.purges) };
    const line = [
      `publish: release ${release} in ${address}`,
      `${formatCount(counts.uploaded)} of ${formatCount(counts.files)} files uploaded`,
      `${formatCount(counts.deleted)} deleted`,
      `${formatCount(counts.purges)} paths to purge`,
      formatSeconds((now() - start) / 1000),
    ].join(", ");
    return { release, line };
  } finally {
    bucket.close();
  }
}

/** Pulls the release that a bucket holds. */
export async function runPull(settings: PullCommandSettings, progress: Progress): Promise<Outcome> {
  const start = performance.now();
  const bucket = new Bucket(settings.from, settings.store);
  try {
    const { release, counts, compared } = await pull(bucket, settings, progress);
    if (counts === undefined) {
      const { files = 0, digests = 0 } = compared ?? {};
      const looked = `${formatCount(files)} files compared by size, ${formatCount(digests)} of them by digest; the next pulls compare the others`;
      const line = `pull: nothing new; the release in ${formatAddress(settings.from)} is current; ${looked}`;
      return { release, line };
    }
    const seconds = formatSeconds((performance.now() - start) / 1000);
    const files = `${formatCount(counts.downloaded)} of ${formatCount(counts.files)} files downloaded`;
    return { release, line: `pull: release ${release} is current, ${files}, ${seconds}` };
  } finally {
    bucket.close();
  }
}
