// Tests that `records` made from the previous release's is the one that would have been written.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import type { FunderTables } from "../../../pipeline/build/changes.ts";
import { freshRecords, mergeRecords, planMerge } from "../../../pipeline/build/mergedRecords.ts";
import { writeFunders, writeLines, writeOffsets } from "../../../pipeline/build/records.ts";
import { DamagedError } from "../../../pipeline/failure.ts";
import type { PartDigest } from "../../../pipeline/releases/manifest.ts";
import { proofs } from "../../proofs.ts";
import { type Database, openSmallDatabase, useFolder } from "../warehouse/warehouse.fixture.ts";

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

type Made = { readonly folder: string; readonly tables: FunderTables; readonly records: PartDigest };

/** Writes all records of a night. */
async function makeWhole(name: string, grants: Night): Promise<Made> {
  const home = join(folder.home, name);
  await rm(home, { recursive: true, force: true });
  await mkdir(home);
  await putGrants(grants);
  const tables = await writeFunders(database.connection, home, "grants");
  await writeLines(database.connection, join(home, parts.records));
  const lines = [...grants.values()].flat().length;
  return { folder: home, tables, records: await writeOffsets(home, lines, () => {}) };
}

/** Makes the records of the table `grants` from those of an earlier night. */
async function merge(before: Made, after: Made): Promise<PartDigest> {
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
        const digest = await merge(before, after);
        expect(digest).toEqual(after.records);
        for (const part of [parts.records, parts.offsets]) {
          const merged = await readFile(join(folder.home, "merged", part));
          expect(merged.equals(await readFile(join(after.folder, part)))).toBe(true);
        }
        expect((await readdir(join(folder.home, "merged"))).sort()).toEqual([parts.records, parts.offsets]);
        const sha256 = createHash("sha256").update(await readFile(join(after.folder, parts.records)));
        expect(digest.sha256).toBe(sha256.digest("hex"));
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

  it.each([
    [
      "has one wrong byte",
      (path: string) => readFile(path).then((bytes) => writeFile(path, flipLast(bytes))),
    ],
    ["is cut off", (path: string) => truncate(path, 100)],
    ["has one more line", (path: string) => writeFile(path, "{}\n", { flag: "a" })],
    ["is missing", (path: string) => rm(path)],
  ])("are refused as damaged if the earlier file %s", async (_, damage) => {
    const [before, after] = [await makeWhole("before", nights[0]), await makeWhole("after", nights[1])];
    await damage(join(before.folder, parts.records));
    await expect(merge(before, after)).rejects.toBeInstanceOf(DamagedError);
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
