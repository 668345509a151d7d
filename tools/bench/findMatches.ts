// Measures the search for likely recipients: reads a warehouse as a sync does, and then finds the matches alone. Prints its figures as JSON.
import { findMatches } from "../../pipeline/match/match.ts";
import { ingestWarehouse } from "./ingested.ts";

const [path = "", folder = ""] = process.argv.slice(2);
const { connection, instance, warehouse, organizations } = await ingestWarehouse(path, folder);
const { recipient_state, recipient_city, recipient_zip } = warehouse.columns;
const start = process.cpuUsage();
const facts = await findMatches(connection, {
  ...{
    hasPlaces: recipient_state !== undefined && (recipient_city ?? recipient_zip) !== undefined,
    hasList: organizations !== undefined,
  },
  before: [],
  objections: [],
});
const { user, system } = process.cpuUsage(start);
const peak = process.resourceUsage().maxRSS * 1024;
console.log(
  JSON.stringify({
    cpuSeconds: (user + system) / 1e6,
    peak,
    organizations: organizations?.file.rows ?? 0,
    facts,
  }),
);
connection.closeSync();
instance.closeSync();
