// Measures how much processor time the downloads take: reads a warehouse as a sync does, and then writes the downloads alone.
import { findMatches } from "../../pipeline/match/match.ts";
import { writeDownloads } from "../../pipeline/parts/downloads/downloads.ts";
import { attachIndex } from "../../pipeline/parts/index/projections.ts";
import { indexMatches, writeMatches } from "../../pipeline/parts/matches/matches.ts";
import { ingestWarehouse, printSeconds } from "./ingested.ts";

const [path = "", folder = ""] = process.argv.slice(2);
const { connection, instance, organizations, records } = await ingestWarehouse(path, folder);
const dataset = {
  ...{
    release: "20261120T040000Z",
    moment: "2026-11-20T04:00:00Z",
    isSynthetic: true,
    firstYear: 2000,
    lastYear: 2000,
  },
  hasNames: organizations !== undefined,
  records,
};
const sources = { hasPlaces: false, hasList: false, before: [], objections: [] };
await findMatches(connection, sources); // none
await attachIndex(connection, folder);
await indexMatches(connection);
const matchesFile = await writeMatches(connection, folder, dataset.release, () => {});
await printSeconds(() => writeDownloads(instance, folder, dataset, Promise.resolve(matchesFile), () => {}));
connection.closeSync();
instance.closeSync();
