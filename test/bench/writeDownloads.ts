// Measures how much processor time the downloads take: reads a warehouse as a sync does, and then writes the downloads alone.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../pipeline/base/database.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { readMemory } from "../../pipeline/base/settings.ts";
import { writeDownloads } from "../../pipeline/parts/downloads/downloads.ts";
import { ingest } from "../../pipeline/parts/ingest.ts";
import { writeOrganizations } from "../../pipeline/parts/organizations.ts";
import { findOrganizations } from "../../pipeline/warehouse/organizations.ts";
import { checkWarehouse } from "../../pipeline/warehouse/warehouse.ts";

const [path = "", folder = ""] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const { connection, instance } = await openDatabase({
  memory: readMemory({}),
  threads: 2,
  spillFolder: join(folder, "spill"),
});
const warehouse = await checkWarehouse(connection, path);
const progress = new Progress({ write: () => true }, () => performance.now());
const source = { connection, warehouse, nextYear: new Date().getUTCFullYear() + 1, progress };
const { totals } = await ingest(source, folder);
const organizations = await findOrganizations(connection, { warehouse: path, organizations: "" });
await writeOrganizations(connection, organizations, folder, () => {});
const dataset = {
  ...{ release: "20261120T040000Z", moment: "2026-11-20T04:00:00Z", isSynthetic: true, years: [2000] },
  ...{ hasNames: organizations !== undefined, records: totals.records },
};
const start = process.cpuUsage();
await writeDownloads(instance, folder, dataset, () => {});
const { user, system } = process.cpuUsage(start);
console.log(JSON.stringify({ cpuSeconds: (user + system) / 1e6 }));
connection.closeSync();
instance.closeSync();
