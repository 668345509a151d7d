// Tests likely recipients of a sample against the true ones, which no row of a foundation names.
import { join } from "node:path";
import { expect } from "vitest";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { planSample, writeSample } from "../../../tools/sample/sample.ts";
import { trueEinsSql } from "../../../tools/sample/sql.ts";
import { itWhole } from "../../whole.ts";
import { noSearches } from "../release.fixture.ts";
import { syncHere } from "../trust.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const rows = 200_000;

itWhole("nearly all likely recipients of foundations are the true ones, as the figures say", async () => {
  const machine = { memory: "1GB", threads: 2, spillFolder: join(folder.home, "spill") };
  const warehouse = join(folder.home, "warehouse");
  await writeSample({ ...machine, rows, seed: 1, folder: warehouse });
  const release = await syncHere(warehouse, join(folder.home, "data"), noSearches);
  const { matches } = await readManifest(release);
  const { instance, connection } = await openDatabase(machine);
  await planSample(connection, rows, 1);
  const judged = await connection.runAndReadAll(
    `WITH truth AS (${trueEinsSql})
     SELECT match_rule AS rule, count(*)::INTEGER AS found, avg((matched_ein IS NOT DISTINCT FROM truth.ein)::INTEGER) AS share,
       count(*) FILTER (truth.ein IS NULL)::INTEGER AS persons
     FROM read_parquet($matches) JOIN truth USING (id) JOIN read_parquet($grants) USING (id)
     WHERE type = '990-PF' GROUP BY ALL`,
    { matches: join(release, "matches.parquet"), grants: join(warehouse, "grants-*.parquet") },
  );
  connection.closeSync();
  instance.closeSync();
  const rules = judged.getRowObjectsJson() as {
    rule: string;
    found: number;
    share: number;
    persons: number;
  }[];
  expect(rules.reduce((sum, { found }) => sum + found, 0)).toBeGreaterThan(rows / 4);
  for (const { rule, share, persons } of rules) {
    const figures = matches.rules.find((one) => one.rule === rule);
    expect([figures?.served, persons]).toEqual([true, 0]);
    // The labels that count are those of several funders, so they differ a little from all recipients.
    expect(Math.abs(share - (figures?.precision.share ?? 0)), rule).toBeLessThan(0.005);
    expect(share, rule).toBeGreaterThan(0.99);
  }
});
