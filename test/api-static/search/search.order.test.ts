// Tests the result order in an index with several blocks of rows, for every plan.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ein, formatEin } from "../../../api-static/contract/ein.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { Columns, maxBlock } from "../../../api-static/release/columns.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { Records } from "../../../api-static/release/records.ts";
import { ColumnSearch } from "../../../api-static/search/columnSearch.ts";
import { Search } from "../../../api-static/search/search.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { writeFunders, writeLines, writeOffsets } from "../../../pipeline/parts/records/records.ts";
import { buildIndex } from "../../pipeline/parts/index/index.fixture.ts";
import { spreadOf } from "../../proofs.ts";

/** More than a block. No pages are written. */
const rows = 120_000;

const grantsSql = `
CREATE TABLE grants AS
SELECT range AS id, (if(hash(range) % 3 = 0, 1, hash(range) % 50 + 1))::UINTEGER AS funder_ein,
  (2000 + hash(range + 1) % 20)::USMALLINT AS transaction_year,
  'NAME ' || (hash(range + 2) % 20000) AS recipient_name, if(hash(range + 10) % 3 = 0, NULL, hash(range + 3) % 100 + 1)::UINTEGER AS recipient_ein,
  (hash(range + 4) % 1000)::DECIMAL(18,2) AS amount, NULL::DECIMAL(18,2) AS non_cash_amount,
  if(hash(range + 6) % 4 = 0, NULL, 'Type ' || chr((65 + hash(range + 6) % 3 + 32 * (hash(range + 7) % 2))::INTEGER)) AS type,
  NULL::VARCHAR AS non_cash_description, TIMESTAMP '2024-01-01' AS created_at, 'PURPOSE ' || (hash(range + 5) % 25000) AS purpose,
  if(hash(range + 8) % 10 = 0, NULL, 'N' || chr((65 + (hash(range + 8) % 7) * (hash(range + 9) % 5))::INTEGER)) AS recipient_state
FROM range(${rows})
ORDER BY funder_ein, transaction_year DESC, amount DESC, id`;

/** Half of the grants without a recipient have a likely one: most of them recipient 7, others one that no grant names. */
const matchesSql = `
CREATE TABLE matches AS
SELECT rowid::UINTEGER AS position, (if(hash(id + 12) % 4 > 0, 7, 95 + hash(id + 13) % 10))::UINTEGER AS ein, id::INTEGER AS text
FROM grants WHERE recipient_ein IS NULL AND hash(id + 11) % 2 = 0`;

/** The rows of `grantsSql` in JavaScript, with columns named after the filters. */
const readSql = `
SELECT grants.rowid::DOUBLE AS position, id::DOUBLE AS id, funder_ein, recipient_ein, matches.ein AS likely_ein, transaction_year,
  amount::DOUBLE AS amount, lower(purpose) AS purpose, lower(recipient_name) AS name, lower(type) AS type, recipient_state,
  (SELECT state FROM listed WHERE ein = funder_ein) AS funder_state
FROM grants LEFT JOIN matches ON grants.rowid = matches.position ORDER BY transaction_year DESC, amount DESC, id`;

type Row = Readonly<Record<"position" | "id" | "funder_ein" | "transaction_year" | "amount", number>> &
  Readonly<Record<"recipient_ein" | "likely_ein", number | null>> &
  Readonly<Record<"purpose" | "name" | "type", string>> &
  Readonly<Record<"funder_state" | "recipient_state", string | null>>;

let folder = "";
let ordered: Row[] = [];
let records: Records;
let search: Search;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "order-"));
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 2, spillFolder: "" });
  await connection.run(grantsSql);
  await connection.run(
    "CREATE TABLE listed AS SELECT range AS ein, if(range % 3 = 0, 'NA', 'ZZ') AS state, NULL::VARCHAR AS cause FROM range(1, 40)",
  );
  await connection.run(matchesSql);
  ordered = (await connection.runAndReadAll(readSql)).getRowObjects() as unknown as Row[];
  const { funders } = await writeFunders(connection, folder);
  await writeLines(connection, join(folder, parts.records));
  await writeOffsets(folder, rows, () => undefined);
  const places = { funderState: "organizations", recipientState: "warehouse" } as const;
  await buildIndex(connection, folder, { places, hasMatches: true });
  connection.closeSync();
  instance.closeSync();
  records = Records.open(folder);
  search = await Search.open(folder, { funders, records });
}, 60_000);
afterAll(async () => {
  await search?.close();
  records?.close();
  await rm(folder, { recursive: true, force: true });
});

const ein = (value: number): Ein => formatEin(value);
const einOf = (value: number | null) => (value === null ? undefined : ein(value));

const cases: Filters[] = [
  {},
  { transactionYear: 2005 },
  { minAmountCents: 99_000n },
  { purpose: "e" },
  { purpose: "purpose 1" },
  { recipientName: "name 2" },
  { purpose: "7", recipientName: "9" },
  { transactionYear: 2005, purpose: "purpose" },
  { transactionYear: 2005, minAmountCents: 50_000n, purpose: "1", recipientName: "1" },
  { recipientEin: ein(7) },
  { recipientEin: ein(7), recipientName: "3" },
  { recipientEin: ein(7), purpose: "p", minAmountCents: 10_000n },
  { funderEin: ein(9), purpose: "12", recipientName: "n" },
  { funderEin: ein(9), recipientEin: ein(7) },
  { funderEin: ein(1), recipientEin: ein(7), purpose: "1" },
  { minYear: 2004, maxYear: 2006, maxAmountCents: 50_000n },
  { minAmountCents: 10_001n, maxAmountCents: 10_001n },
  { type: "type b" },
  { type: "type d" },
  { type: "type a", purpose: "7", recipientName: "9", minYear: 2011 },
  { type: "type c", funderEin: ein(1) },
  { funderEins: [ein(2), ein(9), ein(60)] },
  { funderEins: [ein(1), ein(2)], purpose: "1", type: "type a" },
  { recipientEins: [ein(7), ein(70)], funderEin: ein(1), maxYear: 2010 },
  { recipientEins: [ein(7), ein(70), ein(71)], funderEins: [ein(1), ein(3)] },
  { recipientEin: ein(7), funderEins: [ein(1), ein(3)], recipientName: "1" },
  { recipientState: "NA" },
  { recipientState: "ND", transactionYear: 2005 },
  { recipientState: "NB", purpose: "e" },
  { recipientState: "NC", purpose: "purpose 1" },
  { recipientState: "NB", purpose: "purpose 123" },
  { recipientState: "NB", purpose: "12", transactionYear: 2005 },
  { recipientState: "NC", recipientName: "name 2", funderState: "ZZ" },
  { recipientState: "NA", purpose: "7", recipientName: "9" },
  { recipientState: "NB", funderEin: ein(1), type: "type a" },
  { recipientState: "NB", funderEin: ein(9), minYear: 2012, maxYear: 2013, purpose: "1" },
  { recipientState: "NA", recipientEins: [ein(7), ein(70)], recipientName: "1" },
  { funderState: "NA", funderEin: ein(9), purpose: "12" },
  { funderState: "NA", funderEin: ein(1) },
  { funderState: "ZZ", recipientEin: ein(7), maxAmountCents: 50_000n },
  { funderState: "ZZ", funderEins: [ein(2), ein(9), ein(60)] },
  { funderState: "QQ" },
  ...([7, 95, 101, 104, 8, 200] as const).flatMap((recipient): Filters[] =>
    (["include", "only"] as const).map((matched) => ({ recipientEin: ein(recipient), matched })),
  ),
  ...(["include", "only"] as const).flatMap((matched) =>
    [
      { purpose: "12" },
      { minYear: 2004, maxYear: 2006, minAmountCents: 50_000n },
      { funderEin: ein(9), recipientName: "1" },
      { funderEin: ein(1), type: "type a" },
      { funderEins: [ein(1), ein(3)], recipientState: "NB", maxAmountCents: 90_000n },
      { funderState: "ZZ", purpose: "1", recipientName: "name 2" },
    ].map((filters) => ({ ...filters, recipientEin: ein(7), matched })),
  ),
];

/** The recipient as filed, or the likely one, or both, whichever the filters want. */
function recipientsOf({ recipient_ein, likely_ein }: Row, { matched }: Filters) {
  return [matched === "only" ? null : recipient_ein, matched === undefined ? null : likely_ein];
}

function meets(row: Row, filters: Filters): boolean {
  const { funderEin, recipientEin, transactionYear, purpose, recipientName, minAmountCents } = filters;
  const { funderEins, recipientEins, minYear = 0, maxYear = 9999, maxAmountCents, type } = filters;
  return (
    (filters.funderState === undefined || row.funder_state === filters.funderState) &&
    (filters.recipientState === undefined || row.recipient_state === filters.recipientState) &&
    (funderEins?.includes(ein(row.funder_ein)) ?? true) &&
    (recipientEins === undefined || recipientEins.some((each) => each === einOf(row.recipient_ein))) &&
    row.transaction_year >= minYear &&
    row.transaction_year <= maxYear &&
    (maxAmountCents === undefined || row.amount * 100 <= Number(maxAmountCents)) &&
    (type === undefined || row.type === type) &&
    (funderEin === undefined || row.funder_ein === Number(funderEin)) &&
    (recipientEin === undefined || recipientsOf(row, filters).includes(Number(recipientEin))) &&
    (transactionYear === undefined || row.transaction_year === transactionYear) &&
    (purpose === undefined || row.purpose.includes(purpose)) &&
    (recipientName === undefined || row.name.includes(recipientName)) &&
    (minAmountCents === undefined || row.amount * 100 >= Number(minAmountCents))
  );
}

/** Formats filters for test names. */
const shown = (filters: Filters) =>
  JSON.stringify(filters, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));

describe("a search of a large index", () => {
  it.each(
    spreadOf(
      "searches of a large index",
      cases.map((filters) => [shown(filters), filters] as const),
      2,
    ),
  )("keeps the result order, or puts the largest first, for %s", async (_, filters) => {
    const matching = ordered.filter((row) => meets(row, filters));
    const expected = matching.map(({ position }) => position);
    const texts = matching.map(({ id, likely_ein }) => (likely_ein === null ? -1 : id));
    // Columns are read in blocks: a page may begin in one and end in the next.
    const inFirstBlock = ordered.slice(0, maxBlock).filter((row) => meets(row, filters)).length;
    for (const [limit, offset] of [
      [1000, 0],
      [7, 1],
      [100, Math.floor(expected.length / 2)],
      [1000, Math.max(0, expected.length - 500)],
      [10, Math.max(0, inFirstBlock - 5)],
      [1000, Math.max(0, inFirstBlock - 1)],
    ] as const) {
      const found = await search.find(filters, limit, offset);
      expect(found.total).toBe(expected.length);
      expect(found.positions).toStrictEqual(expected.slice(offset, offset + limit));
      expect(found.lines).toStrictEqual(records.readLines(found.positions));
      const ids = found.matches ?? found.positions.map(() => -1);
      if (filters.matched) expect(ids).toStrictEqual(texts.slice(offset, offset + limit));
    }
    const byAmount = matching.toSorted((a, b) => b.amount - a.amount).map(({ position }) => position); // a stable sort
    for (const [limit, offset] of [
      [1000, 0],
      [7, 1],
      [1000, Math.max(0, byAmount.length - 500)],
      [100, byAmount.length],
    ] as const) {
      const found = await search.find(filters, limit, offset, undefined, "amount");
      expect(found.total).toBe(byAmount.length);
      expect(found.positions).toStrictEqual(byAmount.slice(offset, offset + limit));
    }
  });
});

describe("a search for two texts", () => {
  it.each([
    ["sorts the matches if they are few", { purpose: "34", recipientName: "77" }, 1],
    ["scans for the page if they are many", { purpose: "7", recipientName: "9" }, 2],
  ])("counts the records of the rarer one, and %s", (_, filters, scans) => {
    const columns = Columns.open(join(folder, parts.columns));
    let asked = 0; // another thread is asked to take part in every scan
    const control = { checkpoint: () => undefined, askHelp: () => asked++, sharedRows: 0 };
    const found = new ColumnSearch(columns, records, control).find({ ...filters, limit: 1000, offset: 0 });
    columns.close();
    const expected = ordered.filter((row) => meets(row, filters)).map(({ position }) => position);
    expect(found).toMatchObject({ total: expected.length, positions: expected.slice(0, 1000) });
    expect(found.plan).toContain("count of rank");
    expect(asked).toBe(scans);
  });
});
