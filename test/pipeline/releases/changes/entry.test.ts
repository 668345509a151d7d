// Tests the changes that syncs and rollbacks write: their lines, their Parquet file, and their entries.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import type {
  ChangesEntry,
  ChangesIndex,
  ChangesLine,
} from "../../../../api-static/contract/answers/changes.ts";
import { digestFile } from "../../../../pipeline/base/digests.ts";
import { gateRules } from "../../../../pipeline/releases/gate.ts";
import { readManifest } from "../../../../pipeline/releases/manifest.ts";
import { runCommand } from "../../release.fixture.ts";
import { findProblems, findRelease, spread, syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);
const ACCEPT = gateRules.join();

const rowsOf = (rows: number) => `FROM range(${rows}) t(i)`;
const dataOf = () => join(folder.home, "data");

/** Syncs a warehouse of 60 grants of 5 funders, with these columns instead of the usual ones; returns the id of its release. */
async function night(columns: Record<string, string> = {}, clauses = rowsOf(60)): Promise<string> {
  const warehouse = await put("w.parquet", { ...spread(5), ...columns }, clauses);
  return basename(await syncHere(warehouse, dataOf(), { ACCEPT }));
}

async function readIndex(): Promise<ChangesIndex> {
  return JSON.parse(await readFile(join(dataOf(), "changes/index.json"), "utf8")) as ChangesIndex;
}

const lastEntry = async () => (await readIndex()).entries.at(-1) as ChangesEntry;

const pathOf = (entry: ChangesEntry, index: number) =>
  join(dataOf(), "changes", basename(entry.files[index]?.url ?? ""));

async function readLines(entry: ChangesEntry): Promise<ChangesLine[]> {
  const text = gunzipSync(await readFile(pathOf(entry, 0))).toString();
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ChangesLine);
}

async function query(sql: string) {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The operation, the kind of change and the id of each line. */
async function readOperations(entry: ChangesEntry): Promise<string[]> {
  return (await readLines(entry)).map((line) =>
    line.op === "delete" ? `delete ${line.id}` : `${line.change} ${line.record.id}`,
  );
}

describe("a sync", () => {
  it("writes what was added, changed and removed, and knows a record by its id if its funder changes", async () => {
    const first = await night();
    const second = await night(
      {
        purpose: `CASE WHEN i IN (3, 13) THEN 'O"TH,ER é' ELSE ${spread(5).purpose} END`,
        amount: `CASE WHEN i = 13 THEN 9999999999999999.99 ELSE ${spread(5).amount} END`,
        funder_ein: "CASE WHEN i = 20 THEN 99999999 ELSE 100000000 + i % 5 END",
      },
      "FROM range(1, 62) t(i) WHERE i <> 31",
    );
    expect(await readIndex()).toMatchObject({
      current: second,
      entries: [
        { from: null, to: first, reason: "first_release", files: [], added: null, records: 60 },
        {
          from: first,
          to: second,
          download: "/v1/downloads/grants.parquet",
          added: 2,
          changed: 3,
          removed: 2,
          records: 60,
        },
      ],
    });
    const entry = await lastEntry();
    const release = await findRelease(dataOf());
    expect(entry.digest).toBe((await readManifest(release)).parts.records?.sha256);
    for (const [at, file] of entry.files.entries())
      expect(file).toMatchObject(await digestFile(pathOf(entry, at)));
    const order = (await readFile(join(release, "records"), "utf8")).split("\n").slice(0, -1);
    const lines = await readLines(entry);
    const operations = ["changed 20", "added 60", "added 61", "changed 3", "changed 13"];
    expect((await readOperations(entry)).sort()).toEqual([...operations, "delete 0", "delete 31"].sort());
    const records = lines.flatMap((line) =>
      line.op === "upsert" ? [`${JSON.stringify(line.record.id)},`] : [],
    );
    const positions = records.map((id) => order.findIndex((line) => line.startsWith(`{"id":${id}`)));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(lines.slice(-2)).toEqual([
      { op: "delete", id: 0, funder_ein: "100000000", recipient_ein: null, transaction_year: 2015 },
      { op: "delete", id: 31, funder_ein: "100000001", recipient_ein: "200000014", transaction_year: 2018 },
    ]);
    const changed = order.find((line) => line.startsWith('{"id":13,'))?.slice(0, -1);
    expect(changed).toContain('"amount":9999999999999999.99,');
    expect(gunzipSync(await readFile(pathOf(entry, 0))).toString()).toContain(
      `{"op":"upsert","change":"changed","record":${changed}}\n`,
    );
    expect(await findProblems(release)).toBe("");
    expect(await readFile(join(release, "public/v1/changes/index.json"))).toEqual(
      await readFile(join(dataOf(), "changes/index.json")),
    );
  });

  it("writes the same changes as Parquet, typed as all grants are", async () => {
    const { recipient_ein, amount } = spread(5);
    const created = "TIMESTAMP '2024-01-01'";
    await night({ created_at: created });
    await night(
      {
        amount: `CASE WHEN i = 4 THEN 12345678901234.56 ELSE ${amount} END`,
        created_at: `CASE WHEN i = 4 THEN TIMESTAMP '2026-11-20 04:00:00.5' ELSE ${created} END`,
        recipient_ein: `CASE WHEN i = 4 THEN 1234567 ELSE ${recipient_ein} END`,
      },
      "FROM range(1, 60) t(i)",
    );
    const file = `'${pathOf(await lastEntry(), 1)}'`;
    const types = await query(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE FROM ${file})`);
    expect(types.map(({ name, type }) => `${name} ${type}`)).toEqual([
      ...["op VARCHAR", "change VARCHAR", "id BIGINT", "funder_ein VARCHAR", "transaction_year INTEGER"],
      ...["recipient_name VARCHAR", "recipient_ein VARCHAR", "type VARCHAR", "amount DECIMAL(18,2)"],
      ...["non_cash_amount DECIMAL(18,2)", "non_cash_description VARCHAR", "purpose VARCHAR"],
      "created_at TIMESTAMP WITH TIME ZONE",
    ]);
    const read = `SELECT op, change, id, funder_ein, recipient_ein, recipient_name, amount, epoch_ms(created_at) AS at FROM ${file}`;
    const at = String(Date.UTC(2026, 10, 20, 4, 0, 0, 500));
    expect(await query(read)).toEqual([
      {
        ...{ op: "upsert", change: "changed", id: "4", funder_ein: "100000004", recipient_ein: "001234567" },
        ...{ recipient_name: "School 4", amount: "12345678901234.56", at },
      },
      {
        ...{ op: "delete", change: null, id: "0", funder_ein: "100000000", recipient_ein: null },
        ...{ recipient_name: null, amount: null, at: null },
      },
    ]);
  });

  it("says that more than half has changed, and that the last release is damaged", async () => {
    await night();
    await night({ purpose: "CASE WHEN i < 31 THEN 'X' ELSE 'Y' END" });
    expect(await lastEntry()).toMatchObject({ reason: "too_many", files: [], added: null });
    await writeFile(join(await findRelease(dataOf()), "records"), "{}");
    await night({ purpose: "CASE WHEN i < 3 THEN 'X' ELSE 'Y' END" });
    expect(await lastEntry()).toMatchObject({ reason: "not_comparable", files: [], added: null });
    await writeFile(join(await findRelease(dataOf()), "manifest.json"), "{}");
    await night();
    expect(await lastEntry()).toMatchObject({ reason: "not_comparable" });
    expect((await readdir(join(dataOf(), "changes"))).sort()).toEqual(["index.json"]);
  });

  it("has empty files if no record differs", async () => {
    await night();
    await night({ state: "'TX'" });
    const entry = await lastEntry();
    expect(entry).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect(await readLines(entry)).toEqual([]);
    expect(await query(`FROM '${pathOf(entry, 1)}'`)).toEqual([]);
  });
});

describe("a rollback", () => {
  it("is an entry of its own, and a pair of releases has one pair of files", async () => {
    const first = await night();
    const second = await night({}, rowsOf(62));
    const rollback = (to: string) => runCommand(["rollback"], { DATA: dataOf(), TO: to });
    for (const to of [first, second, first]) expect(await rollback(to)).toMatchObject({ code: 0 });
    const { entries, current } = await readIndex();
    expect(current).toBe(first);
    expect(entries.map(({ from, to }) => [from, to])).toEqual([
      [null, first],
      [first, second],
      [second, first],
      [first, second],
      [second, first],
    ]);
    expect(await readOperations(entries[2] as ChangesEntry)).toEqual(["delete 60", "delete 61"]);
    expect(entries[3]?.files).toEqual(entries[1]?.files);
    expect(await readdir(join(dataOf(), "changes"))).toHaveLength(5);
  });
});
