// Reads a warehouse as a sync does, for scripts that measure one step alone.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../pipeline/base/database.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { readMemory } from "../../pipeline/base/settings.ts";
import { ingest } from "../../pipeline/parts/ingest.ts";
import { writeOrganizations } from "../../pipeline/parts/organizations.ts";
import { findOrganizations } from "../../pipeline/warehouse/organizations.ts";
import { checkWarehouse } from "../../pipeline/warehouse/warehouse.ts";

/** Makes the tables `grants` and `listed` from the warehouse at a path; what is written goes to `folder`. */
export async function ingestWarehouse(path: string, folder: string) {
  await mkdir(folder, { recursive: true });
  const spillFolder = join(folder, "spill");
  const file = join(folder, "tables.duckdb");
  const { connection, instance } = await openDatabase({
    memory: readMemory({}),
    threads: 2,
    spillFolder,
    file,
  });
  const warehouse = await checkWarehouse(connection, path);
  const progress = new Progress({ write: () => true }, () => performance.now());
  const source = { connection, warehouse, nextYear: new Date().getUTCFullYear() + 1, progress };
  const { totals } = await ingest(source, folder);
  const organizations = await findOrganizations(connection, { warehouse: path, organizations: "" });
  await writeOrganizations(connection, organizations, folder, () => {});
  return { connection, instance, warehouse, organizations, records: totals.records };
}

/** Prints the processor seconds that work takes, as JSON. */
export async function printSeconds(work: () => Promise<unknown>): Promise<void> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  console.log(JSON.stringify({ cpuSeconds: (user + system) / 1e6 }));
}
