// Tests filters and groups by town and ZIP code against plain SQL on the warehouse.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSmallDatabase } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

let database: Awaited<ReturnType<typeof openSmallDatabase>> | undefined;

beforeAll(async () => {
  database = await openSmallDatabase();
  const { warehouse, lines } = served();
  const ids = lines.map((line) => JSON.parse(line).id);
  await database.connection.run(
    `CREATE TABLE grants AS SELECT amount, non_cash_amount, trim(recipient_city) AS city, upper(recipient_state) AS state, recipient_zip[:5] AS zip
      FROM read_parquet('${join(warehouse, "*.parquet")}', union_by_name = true)
      WHERE id IN (${ids})
      QUALIFY row_number() OVER (PARTITION BY id ORDER BY created_at DESC, recipient_name DESC NULLS LAST) = 1`,
  );
});

afterAll(() => {
  database?.connection.closeSync();
  database?.instance.closeSync();
});

async function readRows(sql: string) {
  return (await database?.connection.runAndReadAll(sql))?.getRowObjectsJson() ?? [];
}

const sums = "count(*)::DOUBLE AS records, coalesce(sum(amount), 0)::DOUBLE AS amount";

const nonCash = `{records: count(*) FILTER (non_cash_amount > 0)::DOUBLE,
  amount: coalesce(sum(non_cash_amount) FILTER (non_cash_amount > 0), 0)::DOUBLE} AS non_cash`;

const readData = async (path: string) => JSON.parse(await served().askText(path));

describe("a filter by place", () => {
  it("finds the grants of a city, in any case, of a town, and of a ZIP code", async () => {
    const [largest] = await readRows(
      "SELECT city, state, zip FROM grants WHERE city IS NOT NULL GROUP BY ALL ORDER BY count(*) DESC, zip LIMIT 1",
    );
    const { city, state, zip } = largest as { city: string; state: string; zip: string };
    const searches: [Record<string, string>, string][] = [
      [{ recipient_city: city.toLowerCase() }, `lower(city) = lower('${city}')`],
      [
        { recipient_city: city, recipient_state: state },
        `lower(city) = lower('${city}') AND state = '${state}'`,
      ],
      [{ recipient_city: city.slice(0, -1) }, `lower(city) = lower('${city.slice(0, -1)}')`],
    ];
    for (const start of [3, 4, 5].map((length) => zip.slice(0, length)))
      searches.push([{ recipient_zip: start }, `starts_with(zip, '${start}')`]);
    for (const [query, where] of searches) {
      const [expected] = await readRows(`SELECT ${sums} FROM grants WHERE ${where}`);
      const { data } = await readData(`/v1/history/summary?${new URLSearchParams(query)}`);
      expect({ records: data.records, amount: data.amount }, where).toStrictEqual(expected);
    }
  });
});

it("groups by town have the city as most grants have it, and the state", async () => {
  const { data, total } = await readData("/v1/history/groups?by=recipient_city&limit=1000");
  const expected = await readRows(`
    WITH named AS (SELECT *, lower(city) AS key, CASE WHEN city IS NOT NULL THEN state END AS town_state FROM grants),
    spelled AS (SELECT key, town_state, first(city ORDER BY filed DESC, city) AS city
      FROM (SELECT key, town_state, city, count(*) AS filed FROM named GROUP BY ALL) GROUP BY ALL)
    SELECT any_value(spelled.city) AS city, named.town_state AS state, ${sums}, ${nonCash} FROM named JOIN spelled
      ON named.key IS NOT DISTINCT FROM spelled.key AND named.town_state IS NOT DISTINCT FROM spelled.town_state
    GROUP BY named.key, named.town_state ORDER BY amount DESC, records DESC, named.key NULLS LAST, state NULLS FIRST`);
  expect(total).toBe(expected.length);
  expect(data).toStrictEqual(expected.slice(0, 1_000));
  expect(data.length).toBeGreaterThan(20);
});
