// Tests that a recipient's summary shows filed and matched grants apart, also if no grant names its EIN.
import { join } from "node:path";
import { listValue } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { matchRuleNames } from "../../../../api-static/contract/answers/matchRules.ts";
import { recipients } from "../../../pipeline/matches.fixture.ts";
import { useFolder, useParquet } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { useRelease } from "../release.fixture.ts";

const served = useRelease({ withMatches: true });
const { connection } = useParquet(useFolder());

/** The totals of an EIN's matches, from the file of matches and that of grants. */
const expectedSql = `
WITH matched AS (
  SELECT matches.match_rule, grants.* FROM read_parquet($matches) AS matches JOIN read_parquet($grants) AS grants USING (id)
  WHERE matched_ein = $ein
), years AS (SELECT transaction_year, count(*) AS records, sum(amount) AS amount FROM matched GROUP BY ALL)
SELECT (SELECT count(*) FROM matched)::VARCHAR, (SELECT sum(amount) FROM matched)::VARCHAR,
  (SELECT count(DISTINCT funder_ein) FROM matched)::VARCHAR,
  (SELECT string_agg(concat_ws(' ', transaction_year, records, amount), ', ' ORDER BY transaction_year DESC) FROM years),
  (SELECT string_agg(rule || ' ' || n, ', ' ORDER BY list_position($rules, rule))
    FROM (SELECT match_rule AS rule, count(*) AS n FROM matched GROUP BY ALL))`;

type Summary = Readonly<Record<string, unknown>> & {
  readonly sizes: readonly unknown[];
  readonly matched: Readonly<Record<"records" | "amount" | "funders", unknown>> &
    Readonly<Record<"years" | "rules", readonly object[]>>;
};

/** What the answer says, in the form of these rows. Amounts are read as written. */
async function readMatched(ein: string) {
  const body = await served().askText(`/v1/recipients/${ein}/summary`);
  const exact = (key: string, value: unknown, { source }: { source?: string }) =>
    key === "amount" ? source : value;
  const { data } = JSON.parse(body, exact as never) as { data: Summary };
  const { records, amount, funders, years, rules } = data.matched;
  const rows = [
    ...[String(records), amount, String(funders)],
    years.map((year) => Object.values(year).join(" ")).join(", "),
    rules.map((rule) => Object.values(rule).join(" ")).join(", "),
  ];
  return { rows, data };
}

async function expectedRows(ein: string) {
  const folder = served().folder;
  const result = await connection().runAndReadAll(expectedSql, {
    matches: join(folder, "matches.parquet"),
    grants: join(folder, "public/v1/downloads/grants.parquet"),
    ein,
    rules: listValue([...matchRuleNames]),
  });
  return result.getRows()[0];
}

describe("the summary of a recipient with matches", () => {
  it.each([recipients.both, recipients.unfiled])("adds up those of %s exactly", async (ein) => {
    const { rows } = await readMatched(ein);
    expect(rows).toEqual(await expectedRows(ein));
    expect(Number(rows[0])).toBeGreaterThan(4);
  });

  it("has zeros, nulls and empty lists where no grant names its EIN", async () => {
    const { data } = await readMatched(recipients.unfiled);
    const { sizes, matched: _, ...others } = data;
    expect(others).toEqual({
      ...{ recipient_ein: recipients.unfiled, recipient_name: null, records: 0, amount: "0.00" },
      ...{ first_year: null, last_year: null, years: [] },
      non_cash: { records: 0, amount: "0.00", share: 0 },
      individuals: { records: 0, amount: "0.00" },
      passed_on: { records: 0, amount: "0.00" },
      donor_advised: { records: 0, amount: "0.00" },
      ...{ largest_grant: null, funders: 0, top_funders: [] },
      filed: { records: 0, amount: "0.00", funders: 0, years: [] },
    });
    expect(sizes).toHaveLength(6);
  });

  it("is not found where no grant is likely either, and peers stay on filed EINs", async () => {
    expect((await served().ask("/v1/recipients/300000001/summary")).status).toBe(404);
    expect((await served().ask(`/v1/recipients/${recipients.unfiled}/peers`)).status).toBe(404);
  });

  it("has nothing of matches in totals, and a filed EIN keeps its own", async () => {
    const filed = JSON.parse(await served().askText(`/v1/recipients/${recipients.filed}/summary`)).data;
    expect(filed.filed).toEqual({
      ...{ records: filed.records, amount: filed.amount, funders: filed.funders, years: filed.years },
    });
    expect(filed.matched).toEqual({ records: 0, amount: 0, funders: 0, years: [], rules: [] });
    const totals = await served().askText(`/v1/history/summary?recipient_ein=${recipients.unfiled}`);
    expect(JSON.parse(totals).data.records).toBe(0);
  });
});
