// Tests that `records` made from the previous release's is the one that would have been written.
import { hash } from "node:crypto";
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { parts } from "../../../../api-static/release/layout.ts";
import { DamagedError } from "../../../../pipeline/base/failure.ts";
import type { FunderTables } from "../../../../pipeline/parts/changes.ts";
import {
  freshRecords,
  mergeRecords,
  planMerge,
  type SealedRelease,
} from "../../../../pipeline/parts/records/mergedRecords.ts";
import {
  type RecordsDigests,
  writeFunders,
  writeLines,
  writeOffsets,
} from "../../../../pipeline/parts/records/records.ts";
import { funderTotalsSql } from "../../../../pipeline/releases/totals.ts";
import { proofs } from "../../../proofs.ts";
import { type Database, openSmallDatabase, useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
let database: Database;

beforeAll(async () => {
  database = await openSmallDatabase();
});

/** The records of a night: for each funder, the purposes of its grants. */
type Night = ReadonlyMap<number, readonly string[]>;

const purposes = fc.array(fc.constantFrom("A", "B", "C\n", 'D "quoted", and more', "É"), {
  minLength: 1,
  maxLength: 8,
});
const night = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 12 }), purposes), { selector: ([ein]) => ein })
  .map((funders): Night => new Map(funders));

async function putGrants(grants: Night): Promise<void> {
  const rows = [...grants].flatMap(([ein, own]) =>
    own.map((purpose, index) => `(${ein * 100 + index}, ${ein}, '${purpose}')`),
  );
  await database.connection.run("DROP TABLE IF EXISTS grants");
  await database.connection.run(`CREATE TABLE grants AS SELECT id::BIGINT AS id, ein::UINTEGER AS funder_ein,
    2020::USMALLINT AS transaction_year, NULL::VARCHAR AS recipient_name, NULL::UINTEGER AS recipient_ein,
    NULL::VARCHAR AS type, 1::DECIMAL(18,2) AS amount, NULL::DECIMAL(18,2) AS non_cash_amount,
    NULL::VARCHAR AS non_cash_description, purpose, TIMESTAMP '2020-01-02' AS created_at
    FROM (VALUES ${rows.join() || "(0, 0, '')"}) AS rows(id, ein, purpose) WHERE ein > 0 ORDER BY ein, id`);
}

type Made = SealedRelease & { readonly tables: FunderTables };

/** Writes all records of a night. */
async function makeWhole(name: string, grants: Night): Promise<Made> {
  const home = join(folder.home, name);
  await rm(home, { recursive: true, force: true });
  await mkdir(home);
  await putGrants(grants);
  await database.connection.run(`CREATE OR REPLACE TABLE funder_totals AS ${funderTotalsSql("grants")}`);
  const tables = await writeFunders(database.connection, home);
  await writeLines(database.connection, join(home, parts.records));
  const lines = [...grants.values()].flat().length;
  return { folder: home, tables, sealed: await writeOffsets(home, lines, () => {}) };
}

/** Makes the records of the table `grants` from those of an earlier night. */
async function merge(before: Made, after: Made): Promise<RecordsDigests> {
  const home = join(folder.home, "merged");
  await rm(home, { recursive: true, force: true });
  await mkdir(home);
  const plan = planMerge(before.tables, after.tables);
  const eins = plan.fresh.eins.join() || "NULL";
  await database.connection.run(`DELETE FROM grants WHERE coalesce(funder_ein NOT IN (${eins}), true)`);
  await writeLines(database.connection, join(home, freshRecords));
  return mergeRecords(home, before, plan, () => {});
}

describe("records made from those of another night", () => {
  it("have the bytes, offsets and digest of records written as a whole", async () => {
    await fc.assert(
      fc.asyncProperty(night, night, async (one, other) => {
        const before = await makeWhole("before", one);
        const after = await makeWhole("after", other);
        const digests = await merge(before, after);
        expect(digests).toEqual(after.sealed);
        for (const part of [parts.records, parts.offsets]) {
          const merged = await readFile(join(folder.home, "merged", part));
          expect(merged.equals(await readFile(join(after.folder, part)))).toBe(true);
          expect(digests[part]).toEqual({ bytes: merged.length, sha256: hash("sha256", merged) });
        }
        expect((await readdir(join(folder.home, "merged"))).sort()).toEqual([parts.records, parts.offsets]);
      }),
      { numRuns: proofs.mergedNights },
    );
  });

  const nights: readonly [Night, Night] = [
    new Map([
      [1, ["A", "B"]],
      [2, ["A"]],
      [3, ["A", "A"]],
    ]),
    new Map([
      [1, ["A", "B"]],
      [2, ["B"]],
      [3, ["A", "A"]],
    ]),
  ];

  it("are written anew only for funders that changed", async () => {
    const [before, after] = [await makeWhole("before", nights[0]), await makeWhole("after", nights[1])];
    expect(planMerge(before.tables, after.tables)).toMatchObject({ fresh: { eins: [2] }, freshRecords: 1 });
    expect(planMerge(after.tables, after.tables)).toMatchObject({ fresh: { eins: [] }, freshRecords: 0 });
    expect(planMerge(before.tables, before.tables).steps).toEqual([
      { from: "before", isKept: true, lines: 5 },
    ]);
  });

  const damages: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    "has one wrong byte": async (path) => writeFile(path, flipLast(await readFile(path))),
    "is cut off": (path) => truncate(path, 10),
    "has one more line": (path) => writeFile(path, "{},\n", { flag: "a" }),
    "is missing": (path) => rm(path),
  };

  it.each(
    [parts.records, parts.offsets].flatMap((part) => Object.keys(damages).map((damage) => [part, damage])),
  )("are refused as damaged if the earlier file %s %s", async (part, damage) => {
    const [before, after] = [await makeWhole("before", nights[0]), await makeWhole("after", nights[1])];
    await damages[damage]?.(join(before.folder, part));
    await expect(merge(before, after)).rejects.toBeInstanceOf(DamagedError);
  });

  it("are refused if the new file does not have the bytes that were written", async () => {
    const [before, after] = [await makeWhole("before", nights[0]), await makeWhole("after", nights[1])];
    const home = join(folder.home, "zero");
    await mkdir(home);
    await writeFile(join(home, freshRecords), "{},\n");
    await symlink("/dev/zero", join(home, parts.records)); // swallows what is written, and reads as zeros
    const plan = planMerge(before.tables, after.tables);
    await expect(mergeRecords(home, before, plan, () => {})).rejects.toThrow(
      "records: other bytes were written at 0",
    );
  });

  it("are refused if the fresh lines are not those that were planned", async () => {
    const [before, after] = [await makeWhole("before", nights[0]), await makeWhole("after", nights[1])];
    const plan = planMerge(before.tables, after.tables);
    const home = join(folder.home, "short");
    await mkdir(home);
    await writeFile(join(home, freshRecords), "{},\n{},\n");
    await expect(mergeRecords(home, before, plan, () => {})).rejects.toThrow(
      "records.fresh has 2 lines, expected 1",
    );
  });
});

function flipLast(bytes: Buffer): Buffer {
  const at = bytes.length - 5;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes;
}
