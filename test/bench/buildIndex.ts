// Measures how much processor time the index takes: reads a warehouse as a sync does, and then builds the index alone.
import { withOwnTables } from "../../pipeline/base/database.ts";
import { placeSources } from "../../pipeline/parts/index/places.ts";
import { attachIndex, detachIndex, writeIndex } from "../../pipeline/parts/index/projections.ts";
import { ingestWarehouse, printSeconds } from "./ingested.ts";

const [path = "", folder = ""] = process.argv.slice(2);
const { connection, instance, warehouse, organizations } = await ingestWarehouse(path, folder);
const places = placeSources(warehouse, organizations);
await printSeconds(async () => {
  await attachIndex(connection, folder);
  await withOwnTables(connection, () => writeIndex(connection, folder, () => {}, { places }));
  await detachIndex(connection);
});
connection.closeSync();
instance.closeSync();
