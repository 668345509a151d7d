// Tests that the grants found in files of changes are those that were added last, for any course of releases.
import { join } from "node:path";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Ein } from "../../../api-static/contract/ein.ts";
import { meetsFilters } from "../../../api-static/contract/filters/table.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import { type AddedFile, addedKey, findAdded } from "../../../api-static/search/addedGrants.ts";
import {
  close,
  type Database,
  openSmallDatabase,
  useFolder,
} from "../../pipeline/warehouse/warehouse.fixture.ts";
import { proofs } from "../../proofs.ts";

type Grant = {
  readonly id: number;
  readonly funder_ein: string;
  readonly transaction_year: number;
  readonly recipient_name: string | null;
  readonly recipient_ein: string | null;
  readonly type: string | null;
  readonly cents: number;
  readonly purpose: string | null;
};

/** The records of a release by id. */
type Release = ReadonlyMap<number, Grant>;

const folder = useFolder();

const grants = fc.record({
  id: fc.nat(6),
  funder_ein: fc.constantFrom("100000001", "100000002", "000000003"),
  transaction_year: fc.constantFrom(2019, 2020, 2021),
  recipient_name: fc.constantFrom(null, "CAFÉ Music", "music of İzmir", "100% _food_"),
  recipient_ein: fc.constantFrom(null, "200000001", "200000002"),
  type: fc.constantFrom(null, "Schedule I", "other"),
  cents: fc.constantFrom(0, -5, 100, 25_000_00, 25_000_01),
  purpose: fc.constantFrom(null, "Music FOOD", "food and music", "]]><script>\u0001", "Straße"),
});

const filters: fc.Arbitrary<Filters> = fc.record(
  {
    funderEin: fc.constantFrom("100000001" as Ein, "000000003" as Ein),
    recipientEins: fc.constant(["200000001", "200000002"] as Ein[]),
    minYear: fc.constantFrom(2020, 2021),
    purpose: fc.constantFrom("music food", "food", "\u0001", "straße"),
    recipientName: fc.constantFrom("café", "izmir", "% _", "music"),
    isByWords: fc.constant(true as const),
    type: fc.constant("schedule i"),
    minAmountCents: fc.constantFrom(0n, 25_000_01n),
    maxAmountCents: fc.constant(99n),
  },
  { requiredKeys: [] },
);

/** How the next release differs: it is an earlier one again, or grants were put and removed. */
const nights = fc.oneof(
  { weight: 1, arbitrary: fc.record({ back: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      put: fc.array(grants, { maxLength: 5 }),
      removed: fc.array(fc.nat(6), { maxLength: 3 }),
    }),
  },
);

type Night = { readonly back: number } | { readonly put: Grant[]; readonly removed: number[] };

function advance(releases: readonly Release[], night: Night): Release {
  if ("back" in night) return releases[Math.max(0, releases.length - 1 - night.back)] as Release;
  const next = new Map(releases.at(-1));
  for (const id of night.removed) next.delete(id);
  for (const grant of night.put) next.set(grant.id, grant);
  return next;
}

const lineOf = ({ cents, ...grant }: Grant) =>
  `${JSON.stringify(grant).slice(0, -1)},"amount":${(cents / 100).toFixed(2)},"end":0}`;

/** Writes the changes from one release to the next as a sync does. */
async function writeChanges(connection: DuckDBConnection, path: string, before: Release, after: Release) {
  const upserts = [...after.values()].flatMap((grant) => {
    const old = before.get(grant.id);
    if (old !== undefined && lineOf(old) === lineOf(grant)) return [];
    return [{ op: "upsert", change: old === undefined ? "added" : "changed", ...grant }];
  });
  const removed = [...before.keys()].filter((id) => !after.has(id)).map((id) => ({ op: "delete", id }));
  const types = {
    ...{ op: "VARCHAR", change: "VARCHAR", id: "BIGINT", funder_ein: "VARCHAR", purpose: "VARCHAR" },
    ...{ transaction_year: "USMALLINT", recipient_name: "VARCHAR", recipient_ein: "VARCHAR" },
    ...{ type: "VARCHAR", cents: "BIGINT" },
  };
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE changes AS SELECT unnest(from_json($rows, '${JSON.stringify([types])}'), recursive := true)`,
    { rows: JSON.stringify([...upserts, ...removed]) },
  );
  await connection.run(`COPY (SELECT * EXCLUDE (cents), (cents / 100)::DECIMAL(18,2) AS amount,
    NULL::DECIMAL(18,2) AS non_cash_amount FROM changes) TO '${path}' (FORMAT parquet)`);
}

/** Writes the tables of a release's index that searches by SQL read; returns the id at each position. */
async function writeIndex(connection: DuckDBConnection, release: Release): Promise<number[]> {
  const rows = [...release.values()];
  const texts = { purposes: "purpose", recipient_names: "recipient_name", types: "type" } as const;
  const ids: Record<string, (string | null)[]> = {};
  for (const [table, field] of Object.entries(texts)) {
    const filed = [...new Set(rows.map((grant) => grant[field]))].filter((text) => text !== null);
    const kept = filed.map((text) => (table === "types" ? text : canonicalText(text)));
    ids[field] = filed;
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${table} AS
        SELECT unnest(texts) AS text, unnest(range(len(texts))) AS id FROM (SELECT from_json($kept, '["VARCHAR"]') AS texts)`,
      { kept: JSON.stringify(kept) },
    );
  }
  const idOf = (field: string, text: string | null) => (text === null ? null : ids[field]?.indexOf(text));
  const indexed = rows.map(({ cents, ...grant }, position) => ({
    ...{ ...grant, position, amount_cents: cents, purpose: idOf("purpose", grant.purpose) },
    ...{ recipient_name: idOf("recipient_name", grant.recipient_name), type: idOf("type", grant.type) },
  }));
  const types = {
    ...{ position: "UINTEGER", id: "BIGINT", transaction_year: "USMALLINT", amount_cents: "BIGINT" },
    ...{ funder_ein: "UINTEGER", recipient_ein: "UINTEGER", purpose: "BIGINT" },
    ...{ recipient_name: "BIGINT", type: "BIGINT" },
  };
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE by_funder AS SELECT unnest(from_json($rows, '${JSON.stringify([types])}'), recursive := true)`,
    { rows: JSON.stringify(indexed) },
  );
  return rows.map(({ id }) => id);
}

/** The ids of the grants that are still there since they came, the newest first, computed from the releases alone. */
function listAdded(releases: readonly Release[], chosen: Filters): number[] {
  const last = releases.length - 1;
  const present = [...(releases[last]?.values() ?? [])].flatMap((grant) => {
    const absent = releases.findLastIndex((release) => !release.has(grant.id));
    return absent === -1 || !meetsFilters(lineOf(grant), chosen) ? [] : [{ ...grant, absent }];
  });
  const order = (a: (typeof present)[number], b: (typeof present)[number]) =>
    b.absent - a.absent || b.transaction_year - a.transaction_year || b.cents - a.cents || a.id - b.id;
  return present.toSorted(order).map(({ id }) => id);
}

async function useDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openSmallDatabase();
  try {
    await work(database);
  } finally {
    close(database);
  }
}

/** A course that adds five grants, so that every run has a list of several. */
const fullCourse = {
  ...{ first: [], chosen: [], limit: 100 as const },
  nights: [
    {
      put: [1, 2, 3, 4, 5].map((id) => ({
        ...({ id, funder_ein: "100000001", transaction_year: 2020, cents: 100 } as const),
        ...{ recipient_name: null, recipient_ein: null, type: null, purpose: null },
      })),
      removed: [],
    },
  ],
};

it("finds what releases added and still have, as it is now, after rollbacks, removals and moves", async () => {
  let [runs, most] = [0, 0];
  await useDatabase(async ({ connection }) => {
    const courses = fc.record({
      first: fc.array(grants, { maxLength: 4 }),
      nights: fc.array(nights, { minLength: 1, maxLength: 8 }),
      chosen: fc.array(filters, { minLength: 3, maxLength: 3 }),
      limit: fc.constantFrom(1, 3, 100),
    });
    await fc.assert(
      fc.asyncProperty(courses, async ({ first, nights, chosen, limit }) => {
        const releases: Release[] = [new Map(first.map((grant) => [grant.id, grant]))];
        const files: AddedFile[] = [];
        for (const night of nights) {
          const before = releases.at(-1) as Release;
          releases.push(advance(releases, night));
          const path = join(folder.home, `${runs++} [a]*.parquet`);
          await writeChanges(connection, path, before, releases.at(-1) as Release);
          const newest = releases.at(-1) as Release;
          files.unshift({ path, added: [...newest.keys()].filter((id) => !before.has(id)).length });
        }
        const indexed = await writeIndex(connection, releases.at(-1) as Release);
        for (const some of [{}, ...chosen]) {
          const read = async (sql: string, values = {}) =>
            (await connection.runAndReadAll(sql, values)).getRows();
          await connection.run("SET VARIABLE key = $key::BIGINT[]", { key: listValue([...addedKey(some)]) });
          const found = await findAdded(read, files, some, limit);
          const expected = listAdded(releases, some).slice(0, limit);
          expect(found.map(({ position }) => indexed[position])).toStrictEqual(expected);
          most = Math.max(most, expected.length);
        }
      }),
      { numRuns: proofs.anyChains, examples: [[fullCourse]] },
    );
  });
  expect(most).toBeGreaterThan(3); // otherwise the test shows little
});
