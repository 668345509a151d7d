// Owns what people do with earlier releases: look at them and go back to one.

import { formatCount } from "../progress.ts";
import { findCurrentId, findManifest } from "./current.ts";
import { listReleases } from "./folders.ts";
import type { Manifest } from "./manifest.ts";

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
