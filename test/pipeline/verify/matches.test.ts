// Tests that verification compares the file of matches with the grants, the manifest and the index.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { spreadOf } from "../../proofs.ts";
import { recipients } from "../matches.fixture.ts";
import { findProblems, sealAgain } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";
import { useMatchable } from "./matchable.fixture.ts";

const folder = useFolder();
const { connection } = useParquet(folder);

const release = useMatchable(folder);

/** Seals a copy whose file of matches has other rows, and returns what verification finds. */
async function problemsOf(sql: (path: string) => string): Promise<string> {
  const copy = await release.copy();
  const path = join(copy, parts.matchesFile);
  await connection().run(`COPY (${sql(path)}) TO '${path}.next' (FORMAT parquet)`);
  await rename(`${path}.next`, path);
  await sealAgain(copy);
  return findProblems(copy);
}

const change = (columns: string) => (path: string) =>
  `SELECT * REPLACE (${columns}) FROM '${path}' ORDER BY matched_ein, id`;
/** Changes one row of a column. */
const one = (column: string, value: string) => (path: string) =>
  change(`CASE WHEN id = (SELECT min(id) FROM '${path}') THEN ${value} ELSE ${column} END AS ${column}`)(
    path,
  );

const faults: readonly (readonly [string, (path: string) => string, string])[] = [
  ["the order of the rows", (path) => `FROM '${path}' ORDER BY id`, "rows out of order"],
  [
    "a row more",
    (path) => `FROM '${path}' UNION ALL (FROM '${path}' LIMIT 1)`,
    "381 rows, the manifest says 380",
  ],
  ["a row less", (path) => `FROM '${path}' OFFSET 1`, "379 rows, the manifest says 380"],
  ["an unknown grant", one("id", "999999::BIGINT"), "differences from by_match"],
  ["a grant with an EIN", one("id", "901::BIGINT"), "differences from by_match"],
  ["another EIN", one("matched_ein", "'200000001'"), "differences from by_match"],
  ["a short EIN", one("matched_ein", "'20000000'"), "1 rows without an EIN of nine digits"],
  ["a score above 1", one("match_score", "1.001"), "1 rows without a score from 0 to 1"],
  ["no evidence", one("match_evidence", "''"), "1 rows without evidence"],
  ["other rules", change("99::INTEGER AS rules_version"), "380 rows of another version of the rules"],
  ["an unknown rule", one("match_rule", "'guess'"), "1 rows of the rule guess, the manifest says 0"],
  ["a rule that is not served", one("match_rule", "'misspelled'"), "misspelled, the manifest says 0"],
  ["a row of another rule", one("match_rule", "'name_and_place'"), "the manifest says"],
];

describe("verification", () => {
  it("finds no fault in the file as it was written", async () => {
    expect(await findProblems(release.whole)).toBe("");
  });

  it.each(spreadOf("faults of matches", faults, 5))("finds %s", async (_, sql, problem) => {
    expect(await problemsOf(sql)).toMatch(new RegExp(`matches\\.parquet: .*${problem}`));
  });

  it("finds what summaries would add up wrongly, and a manifest with other figures", async () => {
    const copy = await release.copy();
    const instance = await DuckDBInstance.create(join(copy, parts.index));
    const index = await instance.connect();
    await index.run(
      `UPDATE by_match SET amount_cents = amount_cents + 1 WHERE matched_ein = ${recipients.unfiled}`,
    );
    index.closeSync();
    instance.closeSync();
    const { matches } = await readManifest(release.whole);
    const [history, ...others] = matches.rules;
    if (history === undefined) throw new Error("there are rules");
    await sealAgain(copy, { matches: { ...matches, rules: [{ ...history, served: false }, ...others] } });
    const problems = await findProblems(copy);
    expect(problems).toContain("differences from by_match of index.duckdb");
    expect(problems).toContain("rows of the rule history, the manifest says 0");
  });
});
