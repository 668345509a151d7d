// Tests ingest: one grant per id, the order of the table, and the rejects.
import { appendFile, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { Progress } from "../../../pipeline/base/progress.ts";
import { attachIndex, detachIndex } from "../../../pipeline/parts/index/projections.ts";
import { ingest } from "../../../pipeline/parts/ingest.ts";
import type { SealedRelease } from "../../../pipeline/parts/records/mergedRecords.ts";
import { digestFile } from "../../../pipeline/releases/manifest.ts";
import { checkWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  close,
  type Database,
  openSmallDatabase,
  useFolder,
  useParquet,
} from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const rejectsColumns = "SELECT source_file, source_row, reason";

/**
 * Ingests the test's folder; `grants` and `rejects` are the rows of two queries over the result. The night after, in which no row
 * changed, must reject the same rows, have the same totals, and read no grant.
 */
async function ingestHome(grantsSql: string, rejectsSql = rejectsColumns) {
  const { release, ...first } = await ingestAs(grantsSql, rejectsSql);
  const { release: _, ...second } = await ingestAs(grantsSql, rejectsSql, release);
  expect(second).toEqual({ ...first, ingested: { ...first.ingested, fresh: [] }, grants: [] });
  return first;
}

async function ingestAs(grantsSql: string, rejectsSql = rejectsColumns, before?: SealedRelease) {
  const build = await mkdtemp(join(folder.home, "_"));
  const database = await openSmallDatabase();
  try {
    const warehouse = await checkWarehouse(database.connection, folder.home);
    const progress = new Progress({ write: () => true }, () => 0);
    const source = { connection: database.connection, warehouse, nextYear: 2027, progress };
    const ingested = await ingest(source, build, before);
    const read = async (sql: string) => (await database.connection.runAndReadAll(sql)).getRowsJson();
    const rejects = await read(`${rejectsSql} FROM '${join(build, "rejects.parquet")}'`);
    return {
      ingested,
      totals: await read("FROM funder_totals"),
      grants: await read(`${grantsSql} FROM grants`),
      rejects: rejects.map((row) =>
        row.map((value) => (typeof value === "string" ? value.replace(folder.home, "") : value)),
      ),
      release: await sealIndex(database, build),
    };
  } finally {
    close(database);
  }
}

/** Writes what a night needs of an index. */
async function sealIndex(database: Database, build: string): Promise<SealedRelease> {
  const { connection } = database;
  await attachIndex(connection, build);
  await connection.run("CREATE TABLE index.funder_totals AS FROM funder_totals");
  await connection.run(`CREATE TABLE index.by_funder AS
    SELECT funder_ein, recipient_ein, transaction_year, (amount * 100)::BIGINT AS amount_cents FROM grants`);
  return detachSealed(database, build);
}

async function detachSealed({ connection }: Database, build: string): Promise<SealedRelease> {
  await detachIndex(connection);
  return { folder: build, sealed: { [parts.index]: await digestFile(join(build, parts.index)) } };
}

describe("rows of one id", () => {
  it("leave the one created last", async () => {
    const created = "TIMESTAMP '2020-01-01' + to_seconds(([2, 9, 5])[i + 1])";
    await put(
      "a.parquet",
      { created_at: created, purpose: "'P' || i", amount: "(100 - i)::DECIMAL(18,2)" },
      "FROM range(3) t(i)",
    );
    const { ingested, grants, rejects } = await ingestHome("SELECT id, purpose");
    expect(grants).toEqual([["1", "P1"]]);
    expect(rejects).toEqual([
      ["/a.parquet", "0", "duplicate_id"],
      ["/a.parquet", "2", "duplicate_id"],
    ]);
    expect(ingested).toMatchObject({
      read: 3,
      accepted: 1,
      rejected: { duplicate_id: 2, amount_missing: 0 },
    });
  });

  it.each([
    ["funder_ein", ["'131635294'", "'131635295'"]],
    ["transaction_year", ["2019", "2020"]],
    ["recipient_name", ["NULL::VARCHAR", "'A'"]],
    ["recipient_name", ["'Z'", "'a'"]],
    ["recipient_ein", ["'200253309'", "'200253310'"]],
    ["type", ["'y'", "'z'"]],
    ["amount", ["-5", "3"]],
    ["non_cash_amount", ["NULL::DECIMAL(18,2)", "-1.5"]],
    ["non_cash_description", ["'a'", "'ab'"]],
    ["purpose", ["'z'", "'é'"]],
  ])(
    "and one time leave the greater %s of %s, in whatever order they are read",
    async (column, [less = "", greater = ""]) => {
      await put("a.parquet", { [column]: greater, id: "2" });
      await put("b.parquet", { [column]: less, id: "2" });
      await put("c.parquet", { [column]: less, id: "3" });
      await put("d.parquet", { [column]: greater, id: "3" });
      const { rejects } = await ingestHome("SELECT id");
      expect(rejects.map(([file]) => file)).toEqual(["/b.parquet", "/c.parquet"]);
    },
  );

  it("and equal in all leave the one read first", async () => {
    await put("b.parquet");
    await put("a.parquet", {}, "FROM range(2)");
    const { rejects } = await ingestHome("SELECT id");
    expect(rejects).toEqual([
      ["/a.parquet", "1", "duplicate_id"],
      ["/b.parquet", "0", "duplicate_id"],
    ]);
  });

  it("do not include rows that are rejected for another reason", async () => {
    await put("a.parquet", { amount: "NULL::DECIMAL(18,2)", created_at: "TIMESTAMP '2030-01-01'" });
    await put("b.parquet", { purpose: "'KEPT'" });
    await put("c.parquet", { id: "NULL::BIGINT" }, "FROM range(2)");
    const { ingested, grants, rejects } = await ingestHome("SELECT purpose");
    expect(grants).toEqual([["KEPT"]]);
    expect(rejects.map(([, , reason]) => reason)).toEqual(["amount_missing", "id_missing", "id_missing"]);
    expect(ingested.rejected.duplicate_id).toBe(0);
  });
});

describe("the table of grants", () => {
  it("is ordered by funder, then newest, largest, least id, whatever the order of reading", async () => {
    const shuffled = { id: "(i * 7919) % 1000", funder_ein: "['131635294', '010211513'][1 + i % 2]" };
    const values = { transaction_year: "2000 + (i * 31) % 3", amount: "((i * 17) % 5)::DECIMAL(18,2)" };
    await put("a.parquet", { ...shuffled, ...values }, "FROM range(1000) t(i)");
    const { grants } = await ingestHome("SELECT rowid, funder_ein, transaction_year, amount, id");
    const rows = grants.map((row) => row.map(Number));
    const sorted = rows.toSorted(
      ([, af = 0, ay = 0, aa = 0, ai = 0], [, bf = 0, by = 0, ba = 0, bi = 0]) =>
        af - bf || by - ay || ba - aa || ai - bi,
    );
    expect(rows).toEqual(sorted);
    expect(rows.map(([position]) => position)).toEqual(rows.map((_, index) => index));
    expect(rows.length).toBe(1000);
  });
});

describe("a night after other rows", () => {
  // Rows 990 to 999 have the ids of rows 0 to 9. Of two, that of the greater funder is accepted.
  const eins =
    "CASE i % 40 WHEN 39 THEN 'none' WHEN 38 THEN '13-1635294' ELSE '1000000' || (10 + i % 40) END";
  const usual = { id: "i % 990", funder_ein: eins, purpose: "'P' || i" };
  const grantsSql = "SELECT funder_ein, id, purpose";
  const funder = (number: number) => 100000010 + number;
  const at = (row: number, value: string, usually: string) =>
    `CASE i WHEN ${row} THEN ${value} ELSE ${usually} END`;

  it.each<[string, Record<string, string>, number[]]>([
    ["a text", { purpose: at(17, "'other'", usual.purpose) }, [funder(17)]],
    ["white space around a text", { purpose: at(18, "'P18 '", usual.purpose) }, [funder(18)]],
    ["how an EIN is written", { funder_ein: eins.replace("13-", "1-3") }, [131635294]],
    ["the funder of a grant", { funder_ein: at(18, "'100000030'", eins) }, [funder(18), funder(20)]],
    ["a grant that is rejected now", { amount: at(11, "NULL", "50000::DECIMAL(18,2)") }, [funder(11)]],
    ["a row that was rejected", { transaction_year: at(79, "1800", "2020") }, []],
    ["an id that becomes that of another funder's grant", { id: at(18, "7", usual.id) }, [funder(18)]],
    ["which of two grants with an id is accepted", { id: at(36, "5", usual.id) }, [funder(35), funder(36)]],
    ["an id that is no longer repeated", { id: at(993, "5000", usual.id) }, [funder(3), funder(33)]],
  ])("reads only grants of the funders that it concerns if this changed: %s", async (_, changed, fresh) => {
    expect((await compareNights(changed)).ingested.fresh?.toSorted()).toEqual(fresh);
  });

  it.each([
    [
      "the type of a column changed",
      { purpose: "('P' || i)::BLOB::VARCHAR", amount: "50000::DECIMAL(18,3)" },
    ],
    ["most rows did", { purpose: "'Q' || i" }],
  ])("reads all grants if %s", async (_, changed) => {
    expect((await compareNights(changed)).ingested.fresh).toBeUndefined();
  });

  it("notices a cent in a wide column of amounts", async () => {
    const amount = (of17: string) => `CASE i WHEN 17 THEN ${of17} ELSE i END::DECIMAL(38,2)`;
    const { ingested } = await compareNights({ amount: amount("-0.01") }, { ...usual, amount: amount("0") });
    expect(ingested.fresh).toEqual([funder(17)]);
  });

  /** Ingests a night after the usual rows, which must give the totals, rejects and grants that a first sync finds. */
  async function compareNights(changed: Record<string, string>, before: Record<string, string> = usual) {
    const rows = "FROM range(1000) t(i)";
    await put("a.parquet", before, rows);
    const { release } = await ingestAs(grantsSql);
    await put("a.parquet", { ...before, ...changed }, rows);
    const whole = await ingestAs(grantsSql);
    const night = await ingestAs(grantsSql, rejectsColumns, release);
    const fresh = night.ingested.fresh;
    expect(night.ingested).toEqual({ ...whole.ingested, fresh });
    expect(night.totals).toEqual(whole.totals);
    expect(night.rejects).toEqual(whole.rejects);
    expect(night.grants).toEqual(
      whole.grants.filter(([ein]) => fresh === undefined || fresh.includes(Number(ein))),
    );
    return night;
  }

  it("refuses an index that has other totals than the previous release", async () => {
    await put("a.parquet", usual, "FROM range(1000) t(i)");
    const { release } = await ingestAs(grantsSql);
    const database = await openSmallDatabase();
    await attachIndex(database.connection, release.folder);
    await database.connection.run("UPDATE index.funder_totals SET records = records + 1 WHERE rowid = 3");
    const changed = await detachSealed(database, release.folder);
    close(database);
    expect(await folder.refusal(ingestAs(grantsSql, rejectsColumns, changed))).toBe(
      "the warehouse changed while it was read: its files had 1000 rows, then 1001; or the totals of the current release are damaged",
    );
  });

  it("refuses a damaged index of the previous release", async () => {
    await put("a.parquet");
    const { release } = await ingestAs(grantsSql);
    await appendFile(join(release.folder, parts.index), "x");
    expect(await folder.refusal(ingestAs(grantsSql, rejectsColumns, release))).toMatch(
      /^index.duckdb of .* does not match its sealed digest$/,
    );
  });
});

describe("the rejects", () => {
  it("have the row as it was read, with its file, its number and the first reason that applies", async () => {
    await put(
      "deep/a.parquet",
      { id: "i", purpose: "' as filed '", ...{ funder_ein: "'12'", amount: "NULL::DOUBLE" } },
      "FROM range(2) t(i)",
    );
    await put("b.parquet", { id: "7", amount: "1::DOUBLE", recipient_ein: "'none'" });
    const columns = "SELECT source_file, source_row, reason, id, funder_ein, purpose, amount";
    const { ingested, rejects } = await ingestHome("SELECT id", columns);
    expect(rejects).toEqual([
      ["/deep/a.parquet", "0", "funder_ein_invalid", "0", "12", " as filed ", null],
      ["/deep/a.parquet", "1", "funder_ein_invalid", "1", "12", " as filed ", null],
    ]);
    expect(ingested).toMatchObject({ read: 3, accepted: 1, recipientEinInvalid: 1 });
  });

  it("are an empty file if every row is accepted", async () => {
    await put("a.parquet");
    expect((await ingestHome("SELECT id")).rejects).toEqual([]);
  });

  it("have no row number if a column of the warehouse hides it", async () => {
    await put("a.parquet", { file_row_number: "'x'" });
    await put("b.parquet", { funder_ein: "''", id: "2" });
    expect((await ingestHome("SELECT id")).rejects).toEqual([["/b.parquet", null, "funder_ein_invalid"]]);
  });
});
