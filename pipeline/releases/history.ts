// Lists the releases of a data folder for people.
import { formatCount } from "../base/progress.ts";
import { findCurrentId, inspectManifest, type ManifestState } from "./current.ts";
import { listReleases, releaseFolder } from "./folders.ts";
import { sizesOf } from "./manifest.ts";
import { findRollback, readRollbacks } from "./rollbacks.ts";

export type ReleaseRow = {
  readonly id: string;
  readonly manifest: ManifestState;
  readonly note: "current" | "rolled back" | "";
};

/** The releases of a data folder, newest first. */
export async function describeReleases(data: string): Promise<ReleaseRow[]> {
  const current = await findCurrentId(data);
  const rollbacks = await readRollbacks(data);
  const rows: ReleaseRow[] = [];
  for (const id of (await listReleases(data)).reverse()) {
    const isRolledBack = findRollback(rollbacks, id) !== undefined;
    const note = id === current ? "current" : isRolledBack ? "rolled back" : "";
    rows.push({ id, manifest: await inspectManifest(releaseFolder(data, id)), note });
  }
  return rows;
}

/**
 * A table with one line per release: id, time, records, funders, size, and which is current or was rolled back. A page
 * file that several releases share counts in the size of each.
 */
export function formatReleases(data: string, rows: readonly ReleaseRow[]): string {
  if (rows.length === 0) return `DATA "${data}" holds no releases yet. Run \`make sync\` to make one.`;
  const lines = rows.map(({ id, manifest, note }) => [id, ...formatManifest(manifest), note]);
  const table = [["release", "synced at", "records", "funders", "MB", ""], ...lines];
  const widths = [16, 20, 13, 11, 9, 11];
  const isNumber = (column: number) => column >= 2 && column <= 4;
  const pad = (cell: string, column: number) =>
    isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return table.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n");
}

/** Cells for time, records, funders and size. */
function formatManifest(state: ManifestState): string[] {
  if (state.name === "unreadable") return [`unreadable (${state.code})`, "", "", ""];
  if (state.name === "damaged") return ["damaged", "", "", ""];
  const { synced_at, totals } = state.manifest;
  const bytes = Object.values(sizesOf(state.manifest)).reduce((sum, size) => sum + size, 0);
  const counts = [totals.records, totals.funders, bytes / 1e6];
  return [synced_at, ...counts.map(formatCount)];
}
