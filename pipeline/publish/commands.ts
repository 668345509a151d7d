// Runs `make publish` and `make pull`. Both return the line to print, and the release that they leave.
import { randomUUID } from "node:crypto";
import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { formatCount, formatSeconds, type Progress } from "../base/progress.ts";
import { formatAddress } from "../bucket/address.ts";
import { Bucket } from "../bucket/bucket.ts";
import { findCurrentId } from "../releases/current.ts";
import { formatEstimate } from "./estimate.ts";
import { estimatePublish, publish } from "./publish.ts";
import { pull } from "./pull.ts";
import { openPurger } from "./purgers.ts";
import { type PublishCommandSettings, type PullCommandSettings, readAddress } from "./settings.ts";

type Outcome = { readonly line: string; readonly release: string | undefined };

/**
 * Publishes the current release.
 * @param name of the setting with the bucket's address
 */
export async function runPublish(
  name: string,
  settings: PublishCommandSettings,
  progress: Progress,
  clock: () => Date,
): Promise<Outcome> {
  const address = readAddress(name, settings.to);
  const purger = openPurger(settings.purge);
  const now = () => uptime() * 1000; // also counts the time in which the machine is suspended
  const start = now();
  const bucket = new Bucket(address, settings.store);
  try {
    const context = {
      ...{ progress, clock, now, sleep, purger, lease: settings.lease, publisher: randomUUID() },
      note: progress.note,
    };
    const release = await findCurrentId(settings.data);
    const nothingNew = `publish: nothing new; ${formatAddress(address)} holds the current release`;
    if (settings.isDryRun) {
      const estimate = await estimatePublish(bucket, settings, context);
      return { release, line: estimate === undefined ? nothingNew : formatEstimate(estimate) };
    }
    const result = await publish(bucket, settings, context);
    if (result === undefined) return { release, line: nothingNew };
    const { uploaded, deleted, files, purges } = result;
    const line = [
      `publish: release ${result.release} in ${formatAddress(address)}`,
      `${formatCount(uploaded)} of ${formatCount(files)} files uploaded`,
      `${formatCount(deleted)} deleted`,
      `${formatCount(purges)} paths to purge`,
      formatSeconds((now() - start) / 1000),
    ].join(", ");
    return { release: result.release, line };
  } finally {
    bucket.close();
  }
}

/** Pulls the release that a bucket holds. */
export async function runPull(settings: PullCommandSettings, progress: Progress): Promise<Outcome> {
  const address = readAddress("FROM", settings.from);
  const start = performance.now();
  const bucket = new Bucket(address, settings.store);
  try {
    const result = await pull(bucket, settings, progress);
    if (result === undefined) {
      const line = `pull: nothing new; the release in ${formatAddress(address)} is current`;
      return { release: await findCurrentId(settings.data), line };
    }
    const { release, downloaded, files } = result;
    const seconds = formatSeconds((performance.now() - start) / 1000);
    const counts = `${formatCount(downloaded)} of ${formatCount(files)} files downloaded`;
    return { release, line: `pull: release ${release} is current, ${counts}, ${seconds}` };
  } finally {
    bucket.close();
  }
}
