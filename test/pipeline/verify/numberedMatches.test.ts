// Tests that verification compares matches part by part as it compares all of them.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { Columns } from "../../../api-static/release/columns.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { findLikelyProblems } from "../../../pipeline/verify/likely.ts";
import { findMatchProblems } from "../../../pipeline/verify/matches.ts";
import { cutMatchFile } from "../../../pipeline/verify/numberedMatches.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";
import { useMatchable } from "./matchable.fixture.ts";

/** Matches at once: a tenth of those of the warehouse. */
const atOnce = 38;

const folder = useFolder();
const { connection } = useParquet(folder);

const release = useMatchable(folder);

/** What both checks find in a release. */
async function findProblems(path: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const own = await instance.connect();
  const columns = Columns.open(join(path, parts.columns));
  try {
    await own.run(`ATTACH '${join(path, parts.index)}' AS index (READ_ONLY)`);
    await own.run("USE index");
    return [
      ...(await findMatchProblems(own, path, await readManifest(path), atOnce)),
      ...(await findLikelyProblems(own, columns, path, atOnce)),
    ];
  } finally {
    columns.close();
    own.closeSync();
    instance.closeSync();
  }
}

describe("matches in parts", () => {
  it("are each in one part", async () => {
    const path = join(release.whole, parts.matchesFile);
    const ranges = await cutMatchFile(connection(), path, atOnce);
    expect(ranges.length).toBeGreaterThan(3);
    const read = await connection().runAndReadAll(`SELECT matched_ein FROM '${path}' ORDER BY ALL`);
    const eins = read.getRows().map(([ein]) => String(ein));
    const found = ranges.map(({ first, last }) => eins.filter((ein) => ein >= first && ein <= last));
    expect(found.flat()).toEqual(eins);
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThan(eins.length / 2);
  });

  it("have no fault as they were written", async () => {
    expect(await findProblems(release.whole)).toEqual([]);
  });

  it("show a grant that two parts name", async () => {
    const copy = await release.copy();
    const path = join(copy, parts.matchesFile);
    const twice = `SELECT * REPLACE (CASE WHEN matched_ein = (SELECT max(matched_ein) FROM '${path}') AND id = (
        SELECT max(id) FROM '${path}' WHERE matched_ein = (SELECT max(matched_ein) FROM '${path}'))
      THEN (SELECT id FROM '${path}' LIMIT 1) ELSE id END AS id) FROM '${path}' ORDER BY matched_ein, id`;
    await connection().run(`COPY (${twice}) TO '${path}.next' (FORMAT parquet)`);
    await rename(`${path}.next`, path);
    expect(await findProblems(copy)).toEqual([
      "matches.parquet: 1 rows that are not each of another grant without an EIN",
      "matches.parquet: differences from by_match of index.duckdb",
      expect.stringMatching(/rows of likely differ from matches\.parquet/),
    ]);
  });
});
