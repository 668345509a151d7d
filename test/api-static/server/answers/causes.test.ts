// Tests filters and groups by cause against plain SQL on the warehouse and the file of likely recipients.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parts } from "../../../../api-static/release/layout.ts";
import { Release } from "../../../../api-static/search/release.ts";
import { duckdbEngine } from "../../../../api-static/search/sql/open.ts";
import { openDatabase } from "../../../../pipeline/base/database.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ withMatches: true });

let database: Awaited<ReturnType<typeof openDatabase>> | undefined;

beforeAll(async () => {
  const { folder, warehouse } = served();
  database = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  await database.connection.run(`CREATE TABLE grants AS
    SELECT amount, recipient_ein IS NULL AS is_likely, ntee_code[:3] AS cause
    FROM '${join(warehouse, "grants.parquet")}' LEFT JOIN '${join(folder, parts.matchesFile)}' AS matches USING (id)
    LEFT JOIN '${join(warehouse, "organizations.parquet")}' AS listed
      ON listed.ein = coalesce(recipient_ein, matches.matched_ein)`);
});

afterAll(() => {
  database?.connection.closeSync();
  database?.instance.closeSync();
});

async function readRows(sql: string) {
  return (await database?.connection.runAndReadAll(sql))?.getRowObjectsJson() ?? [];
}

const sums = "count(*)::DOUBLE AS records, sum(amount)::DOUBLE AS amount";

/** The warehouse has no column of non-cash amounts. */
const nonCash = "{records: 0::DOUBLE, amount: 0::DOUBLE} AS non_cash";

const groups = (key: string) =>
  readRows(
    `SELECT ${key} AS cause, ${sums}, ${nonCash} FROM grants GROUP BY ALL ORDER BY amount DESC, records DESC`,
  );

const readData = async (path: string) => JSON.parse(await served().askText(path));

describe("a filter by the recipient's cause", () => {
  it.each(["A", "a2", "A68", "P20", "B", "B2", "Z", "a6a"])("finds the grants of cause %s", async (cause) => {
    const [expected] = await readRows(
      `SELECT ${sums} FROM grants WHERE starts_with(cause, '${cause.toUpperCase()}')`,
    );
    const { data } = await readData(`/v1/history/summary?recipient_cause=${cause}`);
    expect([data.records, data.amount]).toStrictEqual([expected?.records, expected?.amount ?? 0]);
    expect((await readData(`/v1/history?recipient_cause=${cause}&limit=1`)).total).toBe(expected?.records);
    const [all] = await readRows(`SELECT ${sums} FROM grants WHERE cause IS NOT NULL`);
    const [unknown] = await readRows(`SELECT ${sums} FROM grants WHERE cause IS NULL`);
    expect(data.coverage).toStrictEqual({ recipient_cause: { known: all, unknown } });
  });
});

describe("groups by the recipient's cause", () => {
  it("are the major groups, or whole codes", async () => {
    const { data, total } = await readData("/v1/history/groups?by=recipient_cause");
    const expected = await groups("left(cause, 1)");
    expect(data).toStrictEqual(expected);
    expect(total).toBe(expected.length);
    const codes = await readData("/v1/history/groups?by=recipient_cause&level=code");
    expect(codes.data).toStrictEqual(await groups("cause"));
    const csv = await served().askText("/v1/history/groups.csv?by=recipient_cause&level=code");
    expect(csv.split("\r\n", 2)[0]).toBe("cause,records,amount");
  });

  it("are the same by SQL", async () => {
    const { folder, ask } = served();
    const release = await Release.open(folder, {
      openEngine: async (_, database, records) => duckdbEngine(database, records),
    });
    const app = createTestApp(release);
    for (const query of [
      "by=recipient_cause",
      "by=recipient_cause&level=code",
      "by=year&recipient_cause=A2",
    ]) {
      const path = `/v1/history/groups?${query}`;
      const bySql = await app.request(path);
      expect(await bySql.text()).toBe(await (await ask(path)).text());
    }
    release.leave();
  });
});

describe("causes of a release", () => {
  it("are counted in the status by the way to them", async () => {
    const { causes } = await readData("/v1/status");
    const sumWhere = async (where: string) => {
      const [sum] =
        await readRows(`SELECT count(*)::DOUBLE AS records, coalesce(sum(amount), 0)::DECIMAL(38,2)::VARCHAR AS amount
        FROM grants WHERE ${where}`);
      return sum;
    };
    expect(causes).toStrictEqual({
      funder_cause: { unknown: 1_400 },
      recipient_cause: {
        filed: await sumWhere("cause IS NOT NULL AND NOT is_likely"),
        likely: await sumWhere("cause IS NOT NULL AND is_likely"),
        unknown: await sumWhere("cause IS NULL"),
      },
    });
    expect(causes.recipient_cause.likely.records).toBeGreaterThan(0);
  });

  it("are of the organizations", async () => {
    expect((await readData("/v1/organizations/200000030")).data).toMatchObject({ ntee: "A20", cause: "A" });
    expect((await readData("/v1/organizations/200000034")).data).toMatchObject({ ntee: "P20", cause: "P" });
    expect((await readData("/v1/organizations/200000033")).data).toMatchObject({ ntee: null, cause: null });
  });
});
