// Tests that after any night, a sync that links unchanged page files makes the same release as a forced one.
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { gateRules } from "../../../pipeline/releases/gate.ts";
import { readReport } from "../../../pipeline/report/report.ts";
import { itWhole } from "../../whole.ts";
import { digestContent, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);
const usual = spread(40);

/** What happens to some of the rows `i` of funder `f` in a night, as SQL of a column. */
const changes = fc.constantFrom<readonly [string, (hit: string) => string]>(
  ["purpose", (hit) => `CASE WHEN ${hit} THEN 'ÉCOLE "' || i || '",' || chr(10) ELSE ${usual.purpose} END`],
  ["amount", (hit) => `CASE WHEN ${hit} THEN -i::DECIMAL(18,2) ELSE ${usual.amount} END`],
  [
    "created_at",
    (hit) =>
      `TIMESTAMP '2026-11-20 04:00:00' - CASE WHEN ${hit} THEN INTERVAL 1 YEAR ELSE INTERVAL 0 DAY END`,
  ],
  ["recipient_ein", (hit) => `CASE WHEN ${hit} THEN 200000003 ELSE ${usual.recipient_ein} END`],
  ["funder_ein", (hit) => `CASE WHEN ${hit} THEN 99999999 + i % 5 * 11 ELSE 100000000 + f END`],
  ["id", (hit) => `CASE WHEN ${hit} THEN i + 100000 ELSE i END`],
  ["id", (hit) => `CASE WHEN ${hit} THEN i // 2 ELSE i END`], // some occur twice
  ["amount", (hit) => `CASE WHEN NOT ${hit} THEN ${usual.amount} END`], // rejected
);

/** Rows that a night changes: none, one, those of some funders, or most. */
const hits = fc.oneof(
  fc.constant("false"),
  fc.integer({ min: 0, max: 1_299 }).map((row) => `i = ${row}`),
  fc.integer({ min: 0, max: 39 }).map((funder) => `f IN (${funder}, ${(funder * 7) % 40})`),
  fc.integer({ min: 2, max: 9 }).map((share) => `i % 10 < ${share}`),
);

/** A warehouse: changes of its rows, and how many rows it has. */
const night = fc.record({
  changes: fc.array(fc.tuple(changes, hits), { maxLength: 3 }),
  rows: fc.integer({ min: 1_200, max: 1_301 }),
});

type Night = typeof night extends fc.Arbitrary<infer Value> ? Value : never;

async function putNight({ changes: all, rows }: Night): Promise<string> {
  const columns = Object.fromEntries(all.map(([[column, sql], hit]) => [column, sql(hit)]));
  // Funder 0 has pages of both sizes.
  const clauses = `FROM (SELECT i, CASE WHEN i < 250 THEN 0 ELSE i % 40 END AS f FROM range(${rows}) t(i))`;
  return put("w.parquet", { ...usual, funder_ein: "100000000 + f", ...columns }, clauses);
}

/** What a report says of the grants, without the names of releases. */
async function readFindings(release: string) {
  const { rows, totals, null_shares, years, largest_funders } = await readReport(release);
  return { rows, totals, null_shares, years, largest_funders };
}

/** Pairs of nights that are compared. */
const pairs = 2;

let runs = 0;

/** Compares the release of the second night with a forced one. */
async function compareNights(first: Night, second: Night): Promise<void> {
  const data = join(folder.home, String(runs++));
  const ACCEPT = gateRules.join();
  await syncHere(await putNight(first), data, { ACCEPT });
  const warehouse = await putNight(second);
  const release = await syncHere(warehouse, data, { ACCEPT });
  const forced = await syncHere(warehouse, join(data, "forced"), { ACCEPT, FORCE: "1" });
  expect(await digestContent(release)).toEqual(await digestContent(forced));
  expect(await readFindings(release)).toEqual(await readFindings(forced));
}

itWhole(
  `makes the same release, in each of ${pairs} pairs of nights`,
  async () => {
    await fc.assert(
      fc.asyncProperty(night, night, compareNights),
      // Shrinking a counterexample may take long, so it is stopped before the test times out.
      { numRuns: pairs, interruptAfterTimeLimit: 540_000, markInterruptAsFailure: true },
    );
  },
  600_000,
);
