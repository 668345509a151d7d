// Tests the file of matches and its copy among the downloads.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { downloadKey } from "../../../../api-static/contract/downloads.ts";
import { readManifest } from "../../../../pipeline/releases/manifest.ts";
import { findTestMatches } from "../../matches.fixture.ts";
import { findProblems, spread, syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

vi.mock("../../../../pipeline/match/match.ts", () => ({ findMatches: vi.fn(findTestMatches) }));

const folder = useFolder();
const { put, connection } = useParquet(folder);

let [home, release, path] = ["", "", ""];

const read = async (sql: string) => (await connection().runAndReadAll(sql)).getRowsJson();

beforeAll(async () => {
  home = folder.home; // each test has another one
  await put("w/grants.parquet", spread(5), "FROM range(200) t(i)");
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
    expect(rows).toHaveLength((await readManifest(release)).matches.matched);
    expect(rows).toHaveLength(34); // half of the 67 grants without an EIN
    const keys = rows.map(([id, ein]) => `${ein} ${id.padStart(9, "0")}`);
    expect(keys).toEqual([...new Set(keys)].sort());
    for (const [id] of rows) expect(Number(id) % 3).toBe(0);
    expect(rows.find(([, ein]) => ein === "300000001")).toMatchObject([
      expect.anything(),
      ...["300000001", "history", "0.995", 'It is "300000001", by history', 1],
    ]);
  });

  it("is among the downloads without a second copy, and is there without downloads", async () => {
    const download = join(release, "public", downloadKey("matches.parquet"));
    expect((await stat(download)).ino).toBe((await stat(path)).ino);
    const { parts } = await readManifest(release);
    expect(parts["public/v1/downloads/matches.parquet"]).toEqual(parts["matches.parquet"]);
    expect(await findProblems(release)).toBe("");
    const other = await syncHere(join(home, "w"), join(home, "other"), { DOWNLOADS: "0" });
    expect(await read(`SELECT count(*) FROM '${join(other, "matches.parquet")}'`)).toEqual([["34"]]);
    expect(await findProblems(other)).toBe("");
  });
});
