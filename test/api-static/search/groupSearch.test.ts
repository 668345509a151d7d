// Tests that totals and groups of any search equal those of DuckDB, byte for byte, for any table and any filters.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { formatGroups } from "../../../api-static/contract/answers/envelope.ts";
import { resultOrderSql } from "../../../api-static/contract/answers/record.ts";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { indexedFilters } from "../../../api-static/contract/filters/attributes.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { type GroupKey, groupKeys } from "../../../api-static/contract/filters.ts";
import { formatCents } from "../../../api-static/contract/text/amount.ts";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { Records } from "../../../api-static/release/records.ts";
import { ColumnSearch } from "../../../api-static/search/columnSearch.ts";
import type { GroupOrder } from "../../../api-static/search/firstGroups.ts";
import { GroupSearch, newThreadSums } from "../../../api-static/search/groupSearch.ts";
import { Search } from "../../../api-static/search/search.ts";
import { commonThreads, SearchThreads } from "../../../api-static/search/searchThreads.ts";
import { countRows, openDatabase } from "../../../pipeline/base/database.ts";
import { noPlaces, type PlaceSources } from "../../../pipeline/parts/index/places.ts";
import { writeFunders, writeLines, writeOffsets } from "../../../pipeline/parts/records/records.ts";
import { buildIndex } from "../../pipeline/parts/index/index.fixture.ts";
import { proofs, spreadOf } from "../../proofs.ts";
import { text } from "../contract/arbitraries.ts";
import { GroupsOracle } from "./groupsOracle.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "groups-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Texts as a sync files them: trimmed, not empty, without NUL. */
const filed = fc
  .oneof(
    text,
    fc.constantFrom(
      "Trust",
      "TRUST",
      "trust",
      "Cafe\u0301",
      "Café",
      "\uFEFF a",
      "Individuals",
      "VARIOUS NEEDY PATIENTS",
    ),
  )
  .map((value) => value.replaceAll("\0", "").trim())
  .filter((value) => value !== "");

const cents = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0n, 100_000n, 5_000_000n) },
  { weight: 2, arbitrary: fc.bigInt({ min: -(2n ** 33n), max: 2n ** 33n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n - 10n ** 18n, max: 10n ** 18n - 1n }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      -1n,
      99_999n,
      2n ** 31n - 1n,
      2n ** 31n,
      -(2n ** 31n),
      -(2n ** 31n) - 1n,
      2n ** 32n,
    ),
  },
);

const state = fc.constantFrom("NY", "CA", "TX");

/** Causes of listed organizations, in turn, and starts of them. */
const causes = ["A20", null, "A68", "B", "A21"];
const cause = fc.constantFrom("A", "A2", "A68", "B", "C");

/** Cities as filed, some of them in several spellings. */
const cities = ["Austin", "AUSTIN", "austin", "San José", "SAN JOSE\u0301", "Aust"];

/** Keeps four filters, because many together match nothing, and of those on funder, recipient or year one alone, as a request has. */
function keepValid({ funderEins, recipientEins, minYear, maxYear, ...others }: Filters): Filters {
  const valid = {
    ...(others.funderEin === undefined && funderEins && { funderEins }),
    ...(others.recipientEin === undefined && recipientEins && { recipientEins }),
    ...(others.transactionYear === undefined && minYear && { minYear }),
    ...(others.transactionYear === undefined && maxYear && { maxYear }),
    ...others,
  };
  const covered = new Set<string>(indexedFilters.map(({ key }) => key));
  const given = Object.entries(valid);
  const first = given.filter(([key]) => !covered.has(key)).slice(0, 2);
  return Object.fromEntries([...first, ...given.filter(([key]) => covered.has(key))]);
}

const table = fc.array(filed, { minLength: 1, maxLength: 6 }).chain((pool) => {
  const one = fc.option(fc.constantFrom(...pool));
  const pattern = fc.constantFrom(...pool).map((whole) => [...canonicalText(whole)].slice(0, 2).join(""));
  const year = fc.integer({ min: 2019, max: 2021 });
  const ein = fc.nat(4);
  const eins = fc
    .uniqueArray(ein, { minLength: 2, maxLength: 3 })
    .map((some) => some.sort((a, b) => a - b).map(formatEin));
  return fc.record({
    rows: fc.array(
      fc.record({
        ...{ funder: ein, year, cents, name: one, purpose: one, recipient: fc.option(ein) },
        ...{ type: fc.oneof(one, fc.constant("Schedule I individuals")), nonCash: fc.option(cents) },
        ...{ state: fc.option(state), city: fc.option(fc.constantFrom(...cities)) },
        zip: fc.option(fc.constantFrom(501, 78_701, 78_702)),
      }),
      { minLength: 1, maxLength: 60 },
    ),
    /** The states of the organizations in the list, by EIN. */
    listed: fc.array(fc.constantFrom("NY", "TX", " tx", "Ohio", null), { maxLength: 5 }),
    /** What the returns of organizations state, by EIN. */
    stated: fc.array(fc.record({ accepts: fc.constantFrom("yes", "no", null), is_sponsor: fc.boolean() }), {
      maxLength: 5,
    }),
    places: fc.constantFrom<PlaceSources>(
      noPlaces,
      { funderState: "organizations", recipientState: "organizations" },
      { funderState: "organizations", recipientState: "warehouse" },
      { funderState: null, recipientState: "warehouse" },
    ),
    searches: fc.array(
      fc
        .record(
          {
            funderEin: ein.map(formatEin),
            recipientEin: ein.map(formatEin),
            funderEins: eins,
            recipientEins: eins,
            transactionYear: year,
            minYear: year,
            maxYear: year,
            purpose: pattern,
            recipientName: pattern,
            type: fc.constantFrom(...pool).map(canonicalText),
            minAmountCents: cents,
            maxAmountCents: cents,
            funderState: state,
            recipientState: state,
            funderCause: cause,
            recipientCause: cause,
            accepts: fc.constantFrom("yes", "no", "unstated"),
            recipientCity: fc.constantFrom(...cities).map(canonicalText),
            recipientZip: fc.constantFrom("005", "787", "78701", "999"),
          },
          { requiredKeys: [], noNullPrototype: true },
        )
        .map(keepValid),
      { minLength: 1, maxLength: 6 },
    ),
    sort: fc.constantFrom("amount" as const, "records" as const),
    limit: fc.integer({ min: 1, max: 12 }),
    offset: fc.nat(6),
  });
});

type Table = typeof table extends fc.Arbitrary<infer Value> ? Value : never;

const tableSql = `CREATE TABLE drawn (id BIGINT, funder_ein UINTEGER, transaction_year USMALLINT, amount DECIMAL(18,2),
  recipient_name VARCHAR, purpose VARCHAR, type VARCHAR, recipient_ein UINTEGER, non_cash_amount DECIMAL(18,2),
  non_cash_description VARCHAR, created_at TIMESTAMP, recipient_state VARCHAR, recipient_city VARCHAR, recipient_zip UINTEGER)`;

/**
 * Makes the parts of a release that a search needs from the table `drawn`, and calls `check` with two searches: one whose sums are found by
 * threads, and one whose sums are found in this thread, of a few leaders or of small slices at once.
 */
async function withSearches(
  fill: (connection: DuckDBConnection) => Promise<unknown>,
  check: (searches: readonly [Search, Search], connection: DuckDBConnection) => Promise<void>,
  places: PlaceSources = noPlaces,
): Promise<void> {
  const folder = await mkdtemp(join(root, "index-"));
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  await connection.run(tableSql);
  await connection.run("CREATE TABLE listed (ein UINTEGER, state VARCHAR, cause VARCHAR)");
  await connection.run("CREATE TABLE stated (ein UINTEGER, accepts VARCHAR, is_sponsor BOOLEAN)");
  await fill(connection);
  await connection.run(`CREATE TABLE grants AS FROM drawn ORDER BY funder_ein, ${resultOrderSql}`);
  const { funders } = await writeFunders(connection, folder);
  await writeLines(connection, join(folder, parts.records));
  await writeOffsets(folder, await countRows(connection, "grants"), () => undefined);
  await buildIndex(connection, folder, { places });
  const records = Records.open(folder);
  const usual = await Search.open(folder, { funders, records });
  const threads = { ...commonThreads, totals: narrowThreads() };
  const narrow = await Search.open(folder, { funders, records }, { threads });
  await GroupsOracle.place(connection, places);
  await check([usual, narrow], connection);
  await usual.close();
  await narrow.close();
  records.close();
  connection.closeSync();
  instance.closeSync();
}

const narrowSums = newThreadSums(1, 500);

function narrowThreads(): SearchThreads {
  const threads = new SearchThreads();
  const control = { checkpoint: () => {}, askHelp: () => {}, sharedRows: Number.POSITIVE_INFINITY };
  vi.spyOn(threads, "group").mockImplementation(async (files, request) => {
    const { columns, records, funders } = files;
    const search = new ColumnSearch(columns, records, control);
    return new GroupSearch(columns, { funders, records }, search, { sums: narrowSums, ...control }).find(
      request,
    );
  });
  return threads;
}

async function insert(
  connection: DuckDBConnection,
  { rows, listed, stated }: Pick<Table, "rows" | "listed" | "stated">,
): Promise<void> {
  for (const [ein, state] of listed.entries())
    await connection.run("INSERT INTO listed VALUES ($ein, $state, $cause)", {
      ...{ ein, state },
      cause: causes[ein % causes.length] ?? null,
    });
  for (const [ein, one] of stated.entries())
    await connection.run("INSERT INTO stated VALUES ($ein, $accepts, $is_sponsor)", { ein, ...one });
  for (const [id, { cents, nonCash, ...row }] of rows.entries())
    await connection.run(
      `INSERT INTO drawn VALUES ($id, $funder, $year, $amount::DECIMAL(18,2),
       $name, $purpose, $type, $recipient, $nonCash::DECIMAL(18,2), NULL, TIMESTAMP '2024-01-01', $state, $city, $zip)`,
      { id, amount: formatCents(cents), nonCash: nonCash === null ? null : formatCents(nonCash), ...row },
    );
}

/** More than two blocks of ranks, and more groups than a page has. */
const manySql = `
INSERT INTO drawn SELECT range, hash(range) % 3000, 2000 + hash(range + 1) % 5,
  ((hash(range + 2) % 2000000)::BIGINT - 100000)::DECIMAL(18,2) * (CASE WHEN range % 1000 = 0 THEN 1000000 ELSE 1 END),
  'Name ' || (hash(range + 3) % 9000), 'Purpose ' || (hash(range + 4) % 50), 'Type ' || (range % 7),
  CASE WHEN hash(range + 5) % 3 = 0 THEN hash(range + 6) % 4000 END, NULL, NULL, TIMESTAMP '2024-01-01',
  CASE WHEN hash(range + 7) % 10 > 0 THEN chr((65 + hash(range + 7) % 20)::INTEGER) || chr((65 + hash(range + 8) % $letters)::INTEGER) END,
  CASE WHEN range % 11 > 0 THEN (CASE WHEN range % 3 = 0 THEN 'CITY ' ELSE 'City ' END) || hash(range + 9) % 3000 END,
  CASE WHEN range % 7 > 0 THEN hash(range + 10) % 100000 END
FROM range(150000)`;

/** The states of funders. @param letters the number of second letters: 20 of them make more states than a byte can number */
const fillMany = (letters: number) => async (connection: DuckDBConnection) => {
  await connection.run(manySql, { letters });
  await connection.run(
    `INSERT INTO listed SELECT range, chr((65 + range % 26)::INTEGER) || 'A',
      CASE WHEN range % 9 > 0 THEN chr((65 + range % 24)::INTEGER) || range % 90 END FROM range(2500)`,
  );
  await connection.run(
    "INSERT INTO stated SELECT range, ['yes', 'no', NULL][1 + range % 3], range % 5 = 0 FROM range(2000)",
  );
};

const bothPlaces: PlaceSources = { funderState: "organizations", recipientState: "warehouse" };

type Page = { readonly sort: GroupOrder; readonly limit: number; readonly offset: number };

/** Compares totals and groups of all kinds with the oracle. */
async function compare(
  searches: readonly Search[],
  connection: DuckDBConnection,
  filters: Filters,
  { sort, limit, offset }: Page,
) {
  const oracle = await GroupsOracle.select(connection, filters);
  const totals = await oracle.totals();
  for (const search of searches) expect((await search.findTotals(filters)).body.toString()).toBe(totals);
  for (const by of [...groupKeys, "funder_cause code" as const, "recipient_cause code" as const]) {
    const [key, level] = by.split(" ") as [GroupKey, "code" | undefined];
    const expected = await oracle.page(by, sort, limit, offset);
    for (const search of searches) {
      const { all, total, lines } = await search.findGroups(filters, { by: key, level, sort, limit, offset });
      expect(formatGroups({ total, ...all, limit, offset }, lines).toString()).toBe(expected);
    }
  }
}

describe("totals and groups", () => {
  it("equal those of DuckDB for any grants and filters", async () => {
    const check = ({ rows, listed, stated, places, searches, ...page }: Table) =>
      withSearches(
        (connection) => insert(connection, { rows, listed, stated }),
        async (both, connection) => {
          for (const filters of [{}, ...searches]) await compare(both, connection, filters, page);
        },
        places,
      );
    await fc.assert(
      fc.asyncProperty(table, check),
      { numRuns: proofs.anyGroups, endOnFailure: true }, // shrinking would take minutes
    );
  });

  const numbersOfStates = [
    ["more states than a byte can number", 20],
    ["a few states", 3],
  ] as const;
  it.each(spreadOf("numbers of states", numbersOfStates, 2))(
    "equal those of DuckDB for more matches than a block has, and %s",
    async (_, letters) => {
      const searches: Filters[] = [
        {},
        { transactionYear: 2003 },
        { purpose: "purpose 1" },
        { recipientName: "name 7", minAmountCents: 50_000_000n },
        { funderEin: formatEin(7) },
        { recipientEins: [formatEin(1), formatEin(2)] },
        { funderState: "BA" },
        { recipientState: "BA", purpose: "purpose 1" },
        { recipientState: "CB", funderState: "AA", transactionYear: 2003 },
        { recipientCause: "B", funderState: "AA" },
        { funderCause: "C2", purpose: "purpose 1" },
        { accepts: "yes", transactionYear: 2003 },
        { accepts: "unstated", funderState: "AA" },
        { recipientCity: "city 12", transactionYear: 2003 },
        { recipientZip: "123", purpose: "purpose 1" },
      ];
      const compareAll = async (both: readonly Search[], connection: DuckDBConnection) => {
        for (const [index, filters] of (letters > 3 ? searches.slice(-7) : searches).entries())
          await compare(letters > 3 ? both.slice(1) : both, connection, filters, {
            sort: index % 2 === 0 ? "amount" : "records",
            limit: 900,
            offset: 50,
          });
      };
      await withSearches(fillMany(letters), compareAll, bothPlaces);
    },
  );

  it("count a grant once for the name of its recipient, if a recipient without an EIN has the same name", async () => {
    const fill = (connection: DuckDBConnection) =>
      connection.run(`INSERT INTO drawn SELECT range, 1, 2020, CASE WHEN range < 9 THEN 1000 ELSE 0 END,
        CASE WHEN range < 4 THEN 'Most' WHEN range < 9 THEN 'Shared' ELSE 'Other' END, NULL, NULL,
        CASE WHEN range < 7 THEN 5 END, NULL, NULL, TIMESTAMP '2024-01-01', NULL, NULL, NULL FROM range(20000)`);
    await withSearches(fill, ([search], connection) =>
      compare([search], connection, {}, { sort: "amount", limit: 2, offset: 0 }),
    );
  });

  it("are the same page by page, with other requests in between", async () => {
    const list = async ([search]: readonly [Search, Search]) => {
      for (const sort of ["amount", "records"] as const) {
        const wanted = { by: "recipient", sort } as const;
        const whole = await search.findGroups({}, { ...wanted, limit: 9_000, offset: 0 });
        const pages: Buffer[] = [];
        for (let offset = 0; offset < 9_000; offset += 2_000) {
          const limit = Math.min(2_000, 9_000 - offset);
          const { lines, ...sums } = await search.findGroups({}, { ...wanted, limit, offset, kept: 9_000 });
          pages.push(lines);
          expect(sums).toEqual({ all: whole.all, total: whole.total });
          if (offset === 4_000)
            await search.findGroups({ transactionYear: 2001 }, { ...wanted, limit: 10, offset: 0 });
        }
        expect(Buffer.concat(pages).toString()).toBe(whole.lines.toString());
      }
    };
    await withSearches(fillMany(3), list);
  });
});
