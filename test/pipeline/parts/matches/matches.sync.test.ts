// Tests the file of matches and its copy among the downloads.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { downloadKey } from "../../../../api-static/contract/answers/downloads.ts";
import { rulesVersion } from "../../../../api-static/contract/answers/matches.ts";
import { readManifest } from "../../../../pipeline/releases/manifest.ts";
import { provenRules, recipients, writeMatchable } from "../../matches.fixture.ts";
import { findProblems, syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection } = useParquet(folder);

let [home, release, path] = ["", "", ""];

const read = async (sql: string) => (await connection().runAndReadAll(sql)).getRowsJson();

beforeAll(async () => {
  home = folder.home; // each test has another one
  await writeMatchable(join(home, "w"));
  release = await syncHere(join(home, "w"), join(home, "data"));
  path = join(release, "matches.parquet");
});

describe("matches.parquet", () => {
  it("has the columns of the contract, compressed, and names its release and schema", async () => {
    const columns = await read(`SELECT column_name, column_type FROM (DESCRIBE FROM '${path}')`);
    expect(columns.map((column) => column.join(" "))).toEqual([
      "id BIGINT",
      "matched_ein VARCHAR",
      "match_rule VARCHAR",
      "match_score DECIMAL(4,3)",
      "match_evidence VARCHAR",
      "rules_version INTEGER",
    ]);
    const { release: id, schema_version: schema } = await readManifest(release);
    const named = await read(
      `SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}') ORDER BY 1`,
    );
    expect(named).toEqual([
      ["release", id],
      ["schema", String(schema)],
    ]);
    const chunks = await read(`SELECT DISTINCT compression FROM parquet_metadata('${path}')`);
    expect(chunks).toEqual([["ZSTD"]]);
  });

  it("has each match once, in order of EIN and id, all of grants without an EIN", async () => {
    const rows = (await read(`FROM '${path}'`)) as [string, string, string, string, string, number][];
    const { matched, rules } = (await readManifest(release)).matches;
    expect(rows).toHaveLength(matched);
    expect(rows).toHaveLength(380); // all grants without an EIN
    const keys = rows.map(([id, ein]) => `${ein} ${id.padStart(9, "0")}`);
    expect(keys).toEqual([...new Set(keys)].sort());
    for (const rule of provenRules)
      expect(rows.filter(([, , found]) => found === rule)).toHaveLength(
        rules.find(({ rule: name }) => name === rule)?.records ?? 0,
      );
    expect(rows.find(([, ein]) => ein === recipients.unfiled)).toEqual([
      ...[expect.anything(), recipients.unfiled, "name_and_place", "0.990"],
      ...["Listed as Harbor Observatory, Houston, TX 77002.", rulesVersion],
    ]);
  });

  it("is among the downloads without a second copy, and is there without downloads", async () => {
    const download = join(release, "public", downloadKey("matches.parquet"));
    expect((await stat(download)).ino).toBe((await stat(path)).ino);
    const { parts } = await readManifest(release);
    expect(parts["public/v1/downloads/matches.parquet"]).toEqual(parts["matches.parquet"]);
    expect(await findProblems(release)).toBe("");
    const other = await syncHere(join(home, "w"), join(home, "other"), { DOWNLOADS: "0" });
    expect(await read(`SELECT count(*) FROM '${join(other, "matches.parquet")}'`)).toEqual([["380"]]);
    expect(await findProblems(other)).toBe("");
  });
});
