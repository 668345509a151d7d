// Tests ingest: one grant per id, the order of the table, and the rejects.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { ingest } from "../../../pipeline/parts/ingest.ts";
import { checkWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  close,
  damageColumn,
  openSmallDatabase,
  useFolder,
  useParquet,
} from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

const rejectsColumns = "SELECT source_file, source_row, reason";

/** Ingests the test's folder; `grants` and `rejects` are the rows of two queries over the result. */
async function ingestHome(grantsSql: string, rejectsSql = rejectsColumns) {
  const build = await mkdtemp(join(folder.home, "_"));
  const database = await openSmallDatabase();
  try {
    const warehouse = await checkWarehouse(database.connection, folder.home);
    const progress = new Progress({ write: () => true }, () => 0);
    const source = { connection: database.connection, warehouse, nextYear: 2027, progress };
    const ingested = await ingest(source, build);
    const read = async (sql: string) => (await database.connection.runAndReadAll(sql)).getRowsJson();
    const rejects = await read(`${rejectsSql} FROM '${join(build, "rejects.parquet")}'`);
    return {
      ingested,
      grants: await read(`${grantsSql} FROM grants`),
      rejects: rejects.map((row) =>
        row.map((value) => (typeof value === "string" ? value.replace(folder.home, "") : value)),
      ),
    };
  } finally {
    close(database);
  }
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

describe("the states of recipients", () => {
  it("are two letters in upper case, or null: also in files without the column, and of a grant filed twice", async () => {
    const filed = ["ny", " Ca ", "N Y", "New York", "", "\u00A0tx", "ſc", "é", "N1", "ZZ"];
    const states = `[${filed.map((state) => `'${state}'`).join(", ")}]`;
    await put("a.parquet", { id: "i", RECIPIENT_STATE: `${states}[1 + i]` }, "FROM range(10) t(i)");
    await put("b.parquet", { id: "10" });
    await put("c.parquet", { id: "11", recipient_state: "'WA'" });
    await put("d.parquet", { id: "11", recipient_state: "'OR'", created_at: "TIMESTAMP '2026-11-21'" });
    const { grants, rejects } = await ingestHome("SELECT id::INTEGER, recipient_state::VARCHAR");
    const expected = ["NY", "CA", null, null, null, "TX", null, null, null, "ZZ", null, "OR"];
    expect(grants).toEqual(expected.map((state, id) => [id, state]));
    expect(rejects).toEqual([["/c.parquet", "0", "duplicate_id"]]);
  });

  it("are null if no file has them as text", async () => {
    await put("a.parquet", { id: "1", recipient_state: "5" });
    await put("b.parquet", { id: "2", recipient_state: "'NY'" });
    await put("c.parquet", { id: "3" });
    const { grants } = await ingestHome("SELECT id::INTEGER, recipient_state, recipient_city, recipient_zip");
    expect(grants).toEqual([1, 2, 3].map((id) => [id, null, null, null]));
  });

  it("do not decide which of two rows of one id and time counts", async () => {
    await put("a.parquet", { recipient_state: "'AK'" });
    await put("b.parquet", { recipient_state: "'WY'" });
    expect((await ingestHome("SELECT recipient_state::VARCHAR")).grants).toEqual([["AK"]]);
  });

  it("are named if they cannot be read", async () => {
    const path = await put("a.parquet", { recipient_state: "'NY' || i" }, "FROM range(9) t(i)");
    await damageColumn(connection(), path, "recipient_state");
    expect(await folder.refusal(ingestHome("SELECT *"))).toContain(
      '"/a.parquet": column recipient_state cannot be read: ',
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
