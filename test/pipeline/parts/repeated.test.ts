// Tests that grants that another filing lists too are counted once less than they occur, as a brute-force count does.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordFields } from "../../../api-static/contract/answers/record.ts";
import { findRepeated } from "../../../pipeline/parts/repeated.ts";
import { close, type Database, grant, openSmallDatabase } from "../warehouse/warehouse.fixture.ts";

let database: Database;

beforeAll(async () => {
  database = await openSmallDatabase();
});

afterAll(() => close(database));

/** Changed columns of a grant, in SQL. */
type Changes = Partial<Record<(typeof recordFields)[number], string>>;

/** The rows of `repeated`: funder, year, filings, records and amount. */
async function countRepeated(grants: readonly Changes[]): Promise<unknown[][]> {
  const { connection } = database;
  const rows = grants.map((changes, id) => {
    const columns = { ...grant, id: `${id}::BIGINT`, ...changes };
    return `SELECT ${recordFields.map((field) => `${columns[field]} AS ${field}`).join(", ")}`;
  });
  await connection.run(`CREATE OR REPLACE TABLE grants AS ${rows.join(" UNION ALL ")}`);
  await connection.run("DROP TABLE IF EXISTS repeated");
  await findRepeated(connection);
  return (await connection.runAndReadAll("FROM repeated")).getRowsJson();
}

const later = { created_at: "TIMESTAMP '2026-12-24 04:00:00'" };
const latest = { created_at: "TIMESTAMP '2027-01-02 04:00:00'" };

describe("repeated grants", () => {
  it("are those that an amended return lists again", async () => {
    const kept = { purpose: "'MUSIC'", amount: "2.50::DECIMAL(18,2)" };
    const added = { ...later, purpose: "'ADDED'" };
    expect(await countRepeated([{}, kept, later, { ...kept, ...later }, added])).toEqual([
      ["131635294", 2020, 2, 2, "50002.50"],
    ]);
  });

  it("are counted once less than the filings that list them", async () => {
    expect(await countRepeated([{}, later, latest])).toEqual([["131635294", 2020, 3, 2, "100000.00"]]);
  });

  it("are no equal grants within one filing", async () => {
    expect(await countRepeated(Array.from({ length: 20 }, () => ({})))).toEqual([]);
    // The second filing has one of the 20, not 20 of them.
    expect(await countRepeated([...Array.from({ length: 20 }, () => ({})), later])).toEqual([
      ["131635294", 2020, 2, 1, "50000.00"],
    ]);
  });

  it("are equal where nothing is filed", async () => {
    const bare = { recipient_ein: "NULL::VARCHAR", recipient_name: "NULL", purpose: "NULL", type: "NULL" };
    expect(await countRepeated([bare, { ...bare, ...later }])).toHaveLength(1);
  });

  it.each(recordFields.filter((field) => field !== "id" && field !== "created_at"))(
    "are equal in %s",
    async (field) => {
      const others: Changes = {
        transaction_year: "2019",
        amount: "50000.01::DECIMAL(18,2)",
        non_cash_amount: "0.00::DECIMAL(18,2)",
      };
      expect(await countRepeated([{}, { ...later, [field]: others[field] ?? "'200253319'" }])).toEqual([]);
    },
  );

  it("are listed by funder, newest year first", async () => {
    const cases = ["'200253310'", "'131635294'"].flatMap((funder_ein) =>
      ["2018", "2020"].flatMap((transaction_year) => [
        { funder_ein, transaction_year },
        { funder_ein, transaction_year, ...later },
      ]),
    );
    const rows = await countRepeated(cases);
    expect(rows.map(([ein, year]) => [ein, year])).toEqual([
      ["131635294", 2020],
      ["131635294", 2018],
      ["200253310", 2020],
      ["200253310", 2018],
    ]);
  });

  it("are as many as a brute-force count finds, in any filings", async () => {
    const drawn = fc.array(fc.record({ purpose: fc.nat(2), filing: fc.nat(2) }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(drawn, async (grants) => {
        const found = await countRepeated(
          grants.map(({ purpose, filing }) => ({
            purpose: `'${purpose}'`,
            created_at: `TIMESTAMP '2026-11-2${filing} 04:00:00'`,
          })),
        );
        const records = [0, 1, 2].reduce((sum, purpose) => {
          const same = grants.filter((one) => one.purpose === purpose);
          const copies = [0, 1, 2].map((filing) => same.filter((one) => one.filing === filing).length);
          return sum + same.length - Math.max(...copies);
        }, 0);
        expect(found.map(([, , , count]) => count)).toEqual(records === 0 ? [] : [records]);
      }),
      { numRuns: 50 },
    );
  });
});
