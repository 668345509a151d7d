// Tests which returns count, by comparing warehouses of random parts with a model that sorts returns one by one.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { openImportDatabase } from "../../../pipeline/irs/import.ts";
import { grantId, identifyReturn } from "../../../pipeline/irs/objectIds.ts";
import { partFolder, writePart } from "../../../pipeline/irs/parts.ts";
import { finishImport } from "../../../pipeline/irs/result.ts";
import { isWhole } from "../../proofs.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { memberName, objectId, query } from "./season.fixture.ts";

const folder = useFolder();

const tables = ["organizations", "individuals", "abroad"] as const;

/** A return as random numbers: few values of each, so that copies and amended returns are frequent. */
const madeReturn = fc.record({
  part: fc.nat(2),
  number: fc.nat(30),
  version: fc.nat(2),
  ein: fc.constantFrom("100000001", "100000002"),
  form: fc.constantFrom("990", "990PF"),
  isGroup: fc.constantFrom(false, false, true),
  period: fc.constantFrom("2022-06-30", "2022-12-31", null),
  filedAt: fc.constantFrom("2023-05-15 10:00:00", "2023-09-01 10:00:00", null),
  isCutOff: fc.constantFrom(false, false, true),
  listed: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2)),
  stated: fc.tuple(fc.constantFrom(0, 7), fc.constantFrom(null, 7), fc.constantFrom(null, 0, 7)),
  revenue: fc.constantFrom(null, 1, 2, 3),
});

type Made = typeof madeReturn extends fc.Arbitrary<infer Value> ? Value : never;

/** A return in its part, with its rows. */
type Filed = Made & { member: number; id: string; slot: number; rows: Row[] };
type Row = { table: (typeof tables)[number]; id: number; type: string; name: string; amount: number };

function fileReturns(made: readonly Made[]): Filed[] {
  const members = [0, 0, 0];
  return made.map((one) => {
    const member = members[one.part] ?? 0;
    members[one.part] = member + 1;
    const id = objectId(1, one.number);
    const { slot } = identifyReturn(memberName(id), Buffer.alloc(0));
    const types = [one.form === "990" ? "Schedule I" : "990-PF", "Schedule I individuals", "Schedule F"];
    const kinds = tables.flatMap((table, at) =>
      Array.from({ length: one.listed[at] ?? 0 }, () => ({ table, type: types[at] ?? "" })),
    );
    const rows = kinds.map((kind, row) => {
      return { ...kind, id: grantId(slot, row), name: `${one.part} ${member} ${row}`, amount: 10 ** row };
    });
    return { ...one, member, id, slot, rows };
  });
}

const sum = (rows: readonly Row[]) => rows.reduce((total, { amount }) => total + amount, 0);

function formatLine({ member, id, slot, version, ein, form, isGroup, period, filedAt, ...filed }: Filed) {
  const [organizations, individuals, abroad] = filed.stated;
  return {
    ...{ member, file: memberName(id), return_id: id, slot, crc32: version, bytes: 1, ein, name: "A", form },
    ...{ is_group: isGroup, tax_year: 2022, period_end: period, filed_at: filedAt, created_at: "2023-01-01" },
    ...{ grants: filed.rows.length, individual_grants: filed.listed[1], foreign_grants: filed.listed[2] },
    ...{ grant_dollars: String(sum(filed.rows)), paid_total: "0", revenue: filed.revenue },
    ...{ stated_total: organizations, stated_individuals: individuals, stated_foreign: abroad },
    ...{ future_rows: 0, empty_rows: 0, placeholders: 0, oddities: filed.isCutOff ? ["cut off"] : [] },
  };
}

/** Writes parts, and finishes an import with them. */
async function importParts(returns: readonly Filed[], home: string) {
  const [parts, out] = [join(home, "parts"), join(home, "warehouse")];
  const sources = [0, 1, 2].map((part) => ({
    ...{ name: "same.zip", digest: String(part), bytes: 0, paths: [], isZip: true },
  }));
  await mkdir(out, { recursive: true });
  const database = await openImportDatabase({
    ...{ memory: "500MB", threads: 1, spillFolder: join(home, "spill") },
  });
  try {
    for (const [part, source] of sources.entries()) {
      const own = returns.filter((one) => one.part === part);
      const draft = join(parts, `draft-${part}`);
      await mkdir(draft, { recursive: true });
      const write = (name: string, lines: readonly object[]) =>
        writeFile(join(draft, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const grants = own.flatMap(({ member, rows }) =>
        rows.map(({ id, type, name, amount }) => ({ id, member, type, recipient_name: name, amount })),
      );
      await write("returns-1.ndjson", own.map(formatLine));
      await write("grants-1.ndjson", grants);
      await writePart(database.connection, draft, partFolder(parts, source));
    }
    const settings = { sources, parts, work: home, out, previous: [], databaseThreads: 1 };
    const progress = new Progress({ write: () => true }, () => 0);
    return await finishImport(database, { ...settings, beforePlacing: async () => {} }, progress);
  } finally {
    database.connection.closeSync();
    database.instance.closeSync();
  }
}

/** Orders by the keys in turn; a null is last. */
const sortBy = <Value>(values: readonly Value[], ...keys: ((value: Value) => string | number | null)[]) =>
  values.toSorted((a, b) => {
    for (const key of keys) {
      const [x, y] = [key(a), key(b)];
      if (x === y) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      return x < y ? -1 : 1;
    }
    return 0;
  });

const periodOf = ({ period }: Filed) => period ?? "2022-12-31";
const isCutOff = (one: Filed) => Number(one.isCutOff);
/** Greater for an earlier return. */
const age = ({ filedAt }: Filed) => (filedAt === null ? null : -Date.parse(`${filedAt}Z`));

/** The first copy of each return. */
function findCopies(returns: readonly Filed[]): Filed[] {
  const byId = Map.groupBy(returns, ({ id }) => id);
  return [...byId.values()].flatMap((same) =>
    sortBy(
      same,
      isCutOff,
      age,
      ({ version }) => version,
      ({ part }) => part,
      ({ member }) => member,
    ).slice(0, 1),
  );
}

/** The returns of each period, the one that counts first. */
function findPeriods(copies: readonly Filed[]): Filed[][] {
  const periods = Map.groupBy(copies, (one) => [one.ein, periodOf(one), one.form, one.isGroup].join());
  return [...periods.values()].map((same) => sortBy(same, isCutOff, age, ({ id }) => -Number(id.slice(4))));
}

function expectRows(returns: readonly Filed[]): Row[] {
  return findPeriods(findCopies(returns)).flatMap((same) => {
    const [first] = same;
    return tables.flatMap((table, at) => {
      const keeps = first?.listed[at] === 0 && (first.stated[at] ?? 0) > 0;
      const from = keeps ? same.find(({ listed }) => (listed[at] ?? 0) > 0) : first;
      return from?.rows.filter((row) => row.table === table) ?? [];
    });
  });
}

/** The return that gives the finances of each organization. */
function expectFinances(returns: readonly Filed[]): string[] {
  const counting = findPeriods(findCopies(returns)).flatMap((same) => same.slice(0, 1));
  const byEin = Map.groupBy(
    counting.filter(({ revenue }) => revenue !== null),
    ({ ein }) => ein,
  );
  const chosen = [...byEin.values()].flatMap((same) =>
    sortBy(
      same,
      ({ isGroup }) => Number(isGroup),
      (one) => -Date.parse(periodOf(one)),
      age,
      ({ id }) => -Number(id.slice(4)),
    ).slice(0, 1),
  );
  return sortBy(chosen, ({ ein }) => ein).map(({ ein, id, revenue }) => `${ein} ${id} ${revenue}.00`);
}

it("warehouses of random parts have the rows, the sums and the finances of the model", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(madeReturn, { minLength: 1, maxLength: 60, size: "max" }), async (made) => {
      const returns = fileReturns(made);
      const expected = sortBy(expectRows(returns), ({ id }) => id);
      fc.pre(expected.length > 0); // an import without grants is refused
      run += 1;
      const home = join(folder.home, String(run));
      const report = await importParts(returns, home);
      const rows = await query(
        "SELECT id, recipient_name AS name, type, amount::INTEGER AS amount FROM read_parquet($path) ORDER BY id",
        join(home, "warehouse/grants-*.parquet"),
      );
      expect(rows).toEqual(
        expected.map(({ id, name, type, amount }) => ({ id: String(id), name, type, amount })),
      );
      const finances = await query(
        "SELECT concat_ws(' ', ein, return_id, revenue) AS text FROM read_parquet($path) ORDER BY ein, tax_year",
        join(home, "warehouse/finances.parquet"),
      );
      expect(finances.map(({ text }) => text)).toEqual(expectFinances(returns));
      const count = (table: string) => expected.filter((row) => row.table === table).length;
      expect(report).toMatchObject({
        returns: returns.length,
        sources: [0, 1, 2].map((part) => ({ returns: returns.filter((one) => one.part === part).length })),
        grants: expected.length,
        individualGrants: count("individuals"),
        foreignGrants: count("abroad"),
        byYear: [{ year: 2022, grants: expected.length, dollars: `${sum(expected)}.00` }],
        finances: finances.length,
      });
    }),
    { numRuns: isWhole ? 24 : 8 },
  );
});
