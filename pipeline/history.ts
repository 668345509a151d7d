// Owns what people do with earlier releases: look at them and go back to one.

import { withLock } from "./lock.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { formatCount, type Progress } from "./progress.ts";
import { activateRelease, findCurrentId, findManifest, listReleases, releaseFolder } from "./release.ts";
import { checkRelease } from "./verify.ts";

export type ReleaseRow = {
  readonly id: string;
  readonly isCurrent: boolean;
  /** Undefined when the release cannot be read. */
  readonly manifest: Manifest | undefined;
};

/** The releases of a data folder, newest first. */
export async function describeReleases(data: string): Promise<ReleaseRow[]> {
  const current = await findCurrentId(data);
  const rows: ReleaseRow[] = [];
  for (const id of (await listReleases(data)).reverse()) {
    rows.push({ id, isCurrent: id === current, manifest: await findManifest(data, id) });
  }
  return rows;
}

/** One line a release: id, time, records, funders, size, and which is current. Pages shared by releases count in each. */
export function formatReleases(data: string, rows: readonly ReleaseRow[]): string {
  if (rows.length === 0) return `DATA "${data}" holds no releases yet: run make sync`;
  const lines = rows.map(({ id, isCurrent, manifest }) => [
    id,
    manifest?.synced_at ?? "damaged",
    manifest === undefined ? "" : formatCount(manifest.totals.records),
    manifest === undefined ? "" : formatCount(manifest.totals.funders),
    manifest === undefined ? "" : formatCount(sizeOf(manifest) / 1e6),
    isCurrent ? "current" : "",
  ]);
  const table = [["release", "synced at", "records", "funders", "MB", ""], ...lines];
  const widths = [16, 20, 13, 11, 9, 7];
  return table
    .map((cells) =>
      cells
        .map((cell, index) => pad(cell, widths[index] ?? 0, index))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Text columns start on the left, numbers end on the right. */
function pad(cell: string, width: number, column: number): string {
  return column >= 2 && column <= 4 ? cell.padStart(width) : cell.padEnd(width);
}

/** Bytes of a release's files. */
function sizeOf(manifest: Manifest): number {
  const partBytes = Object.values(manifest.parts).reduce((sum, { bytes }) => sum + bytes, 0);
  return partBytes + manifest.pages.storedBytes;
}

/**
 * Names an earlier release current, once it has been verified.
 * @throws InputError when it is not what was sealed, LockedError while a sync is at work; the current release then stays
 */
export async function rollback(data: string, id: string, threads: number, progress: Progress): Promise<void> {
  await withLock(data, async () => {
    const folder = releaseFolder(data, id);
    const { pages } = await readManifest(folder);
    await progress.run("verify", pages.files, "pages", (reach) => checkRelease(folder, threads, reach));
    await activateRelease(data, id);
  });
}
