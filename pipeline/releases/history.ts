// Lists the releases of a data folder for people.
import { type Cell, formatTable } from "../base/table.ts";
import { findCurrentId, inspectManifest, type ManifestState } from "./current.ts";
import { listReleases, releaseFolder } from "./folders.ts";
import { sizesOf } from "./manifest.ts";
import { findRollback, readRollbacks } from "./rollbacks.ts";

/**
 * A table with one line per release, newest first: id, time, records, funders, size, and which is current or was rolled back. A page
 * file that several releases share counts in the size of each.
 */
export async function formatReleases(data: string): Promise<string> {
  const [current, rollbacks] = [await findCurrentId(data), await readRollbacks(data)];
  const table: Cell[][] = [["release", { left: "synced at" }, "records", "funders", "MB"]];
  for (const id of (await listReleases(data)).reverse()) {
    const isRolledBack = findRollback(rollbacks, id) !== undefined;
    const left = id === current ? "current" : isRolledBack ? "rolled back" : "";
    table.push([id, ...formatManifest(await inspectManifest(releaseFolder(data, id))), { left }]);
  }
  if (table.length === 1) return `DATA "${data}" holds no releases yet. Run \`make sync\` to make one.`;
  return formatTable(table).join("\n");
}

/** Cells for time, records, funders and size. */
function formatManifest(state: ManifestState): Cell[] {
  if (state.name === "unreadable") return [{ left: `unreadable (${state.code})` }, "", "", ""];
  if (state.name === "damaged") return [{ left: "damaged" }, "", "", ""];
  const { synced_at, totals } = state.manifest;
  const bytes = Object.values(sizesOf(state.manifest)).reduce((sum, size) => sum + size, 0);
  return [{ left: synced_at }, totals.records, totals.funders, bytes / 1e6];
}
