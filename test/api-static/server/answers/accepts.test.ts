// Tests the filter by whether funders take applications, applications of organizations, and grants to sponsors of donor-advised funds, against
// plain SQL on the warehouse.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Release } from "../../../../api-static/search/release.ts";
import { duckdbEngine } from "../../../../api-static/search/sql/open.ts";
import { close, openSmallDatabase } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 4_000 });

let database: Awaited<ReturnType<typeof openSmallDatabase>> | undefined;

beforeAll(async () => {
  database = await openSmallDatabase();
  const { warehouse, lines } = served();
  await database.connection.run(`
    CREATE TABLE returns AS FROM '${join(warehouse, "finances.parquet")}';
    CREATE TABLE accepting AS SELECT ein, list(accepts ORDER BY tax_year DESC) FILTER (accepts IS NOT NULL)[1] AS accepts,
      coalesce(list(donor_advised ORDER BY tax_year DESC)[1], false) AS is_sponsor FROM returns GROUP BY ein`);
  await database.connection.run(
    `CREATE TABLE grants AS SELECT amount, funders.ein AS funder, coalesce(funders.accepts, 'unstated') AS accepts,
      coalesce(recipients.is_sponsor, false) AS is_advised
    FROM (SELECT unnest(from_json($records, '[{"funder_ein":"VARCHAR","recipient_ein":"VARCHAR","amount":"DECIMAL(18,2)"}]'), recursive := true))
    LEFT JOIN accepting AS funders ON funders.ein = funder_ein LEFT JOIN accepting AS recipients ON recipients.ein = recipient_ein`,
    { records: `[${lines.join()}]` },
  );
});

afterAll(() => {
  if (database !== undefined) close(database);
});

async function readRows(sql: string) {
  return (await database?.connection.runAndReadAll(sql))?.getRowObjectsJson() ?? [];
}

const sums = (where: string) =>
  `{records: count(*) FILTER (${where})::DOUBLE, amount: coalesce(sum(amount) FILTER (${where}), 0)::DOUBLE}`;

const readData = async (path: string) => JSON.parse(await served().askText(path));

const acceptances = ["yes", "no", "unstated"];

describe("a filter by whether funders take applications", () => {
  it.each(acceptances)("finds the grants of funders: %s", async (accepts) => {
    const query = `accepts=${accepts}&min_amount=0&max_amount=1000000`; // DuckDB rounds the sample's largest amounts in JSON
    const [expected] = await readRows(
      `SELECT ${sums("true")} AS total, ${sums("is_advised")} AS donor_advised, count(DISTINCT funder)::DOUBLE AS funders
        FROM grants WHERE accepts = '${accepts}' AND amount BETWEEN 0 AND 1000000`,
    );
    const { data } = await readData(`/v1/history/summary?${query}`);
    const { records, amount, donor_advised } = data;
    expect({ total: { records, amount }, donor_advised }).toStrictEqual({
      total: expected?.total,
      donor_advised: expected?.donor_advised,
    });
    expect(records).toBeGreaterThan(10);
    expect(data).not.toHaveProperty("coverage");
    expect((await readData(`/v1/history?${query}&limit=1`)).total).toBe(records);
    const { total } = await readData(`/v1/history/groups?by=funder&${query}&limit=1000`);
    expect(total).toBe(data.funders);
    if (accepts !== "unstated") expect(total).toBe(expected?.funders);
  });

  it("is complete: each grant has one of the values", async () => {
    const { records: all } = (await readData("/v1/history/summary")).data;
    const found = await Promise.all(
      acceptances.map(async (accepts) => (await readData(`/v1/history?accepts=${accepts}&limit=1`)).total),
    );
    expect(found.reduce((sum, records) => sum + records, 0)).toBe(all);
  });

  it("gives the same bytes by SQL", async () => {
    const release = await Release.open(served().folder, {
      openEngine: async (_, opened, records) => duckdbEngine(opened, records),
    });
    const app = createTestApp(release);
    for (const accepts of acceptances)
      for (const path of [
        "history?limit=7",
        "history/summary?max_year=2020",
        "history/groups?by=recipient",
      ]) {
        const asked = `/v1/${path}&accepts=${accepts}`;
        expect(await (await app.request(asked)).text(), asked).toBe(await served().askText(asked));
      }
    release.leave();
  });
});

describe("an organization", () => {
  it("has what its newest return that says whether it takes applications says of them", async () => {
    const returns =
      await readRows(`SELECT ein, {accepts: accepts, deadlines: deadlines, form: application_form,
        restrictions: restrictions, tax_year: tax_year, source: {object_id: return_id, period: strftime(period_end, '%Y-%m')}} AS stated
      FROM returns WHERE accepts IS NOT NULL QUALIFY row_number() OVER (PARTITION BY ein ORDER BY tax_year DESC) = 1
      ORDER BY hash(ein) LIMIT 40`);
    expect(returns.length).toBe(40);
    for (const { ein, stated } of returns)
      expect((await readData(`/v1/organizations/${ein}`)).data.applications).toStrictEqual(stated);
    const [silent] = await readRows("SELECT ein FROM accepting WHERE accepts IS NULL ORDER BY ein LIMIT 1");
    const { data } = await readData(`/v1/organizations/${silent?.ein}`);
    expect(data.applications).toBe(null);
    expect(Object.keys(data).slice(-2)).toEqual(["mission", "applications"]);
  });
});
