// Measures how much processor time the changes between the two releases of a data folder take alone.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readMemory } from "../../pipeline/base/settings.ts";
import { compareRecords } from "../../pipeline/releases/changes/compare.ts";
import { listReleases, releaseFolder } from "../../pipeline/releases/folders.ts";
import { readTables } from "../../pipeline/releases/tables.ts";

const [data = "", work = ""] = process.argv.slice(2);
const [before = "", after = ""] = await listReleases(data);
await mkdir(work);
const start = process.cpuUsage();
const { counts } = await compareRecords(
  await readTables(releaseFolder(data, before)),
  await readTables(releaseFolder(data, after)),
  {
    bounds: { memory: readMemory({}), threads: 2, spillFolder: join(work, "spill") },
    work,
    changesMax: Number.POSITIVE_INFINITY,
  },
);
const { user, system } = process.cpuUsage(start);
console.log(JSON.stringify({ cpuSeconds: (user + system) / 1e6, counts }));
await rm(work, { recursive: true });
