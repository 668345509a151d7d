// Tests with real filings and a sample that every row is either in a page or among the rejects, once.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Report } from "../../pipeline/report/report.ts";
import { findFiles } from "../../pipeline/warehouse/files.ts";
import { writeSample } from "../../tools/sample/sample.ts";
import { proofs } from "../proofs.ts";
import { isRealTested, realWarehouse } from "../realWarehouse.ts";
import { syncRelease, type Walked, walkPages } from "./release.fixture.ts";
import { type Expected, expectRelease, readRows } from "./releases/release.model.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection } = useParquet(folder);

const isRealHere = isRealTested("syncs");

/** Syncs a warehouse and returns the release and what a model expects of it. */
async function syncAndModel(warehouse: string) {
  const release = await syncRelease(warehouse, join(folder.home, "data"), { THREADS: "2" });
  const report = JSON.parse(await readFile(join(release, "report.json"), "utf8")) as Report;
  const rows = await readRows(connection(), await findFiles(warehouse));
  const expected = expectRelease(rows, new Date().getUTCFullYear() + 1);
  return { release, report, rows, expected, walked: await walkPages(release) };
}

type Synced = Awaited<ReturnType<typeof syncAndModel>>;

function checkCounts({ report, rows, expected, walked }: Synced): void {
  const reasons = Map.groupBy(expected.rejects, ({ reason }) => reason);
  const counts = Object.entries(report.rows.rejected_by_reason).filter(([, count]) => count > 0);
  expect(new Map(counts)).toEqual(new Map([...reasons].map(([reason, rejects]) => [reason, rejects.length])));
  expect(report.rows.read).toBe(rows.length);
  expect(report.rows.rejected).toBe(expected.rejects.length);
  expect(report.rows.accepted + report.rows.rejected).toBe(report.rows.read);
  expect(report.rows.recipient_ein_invalid).toBe(expected.recipientEinInvalid);
  expect(report.totals.records).toBe(report.rows.accepted);
  expect(report.totals.funders).toBe(walked.funders.size);
  expect(report.pages.files - report.names.files).toBe(walked.files);
}

function checkPages(funders: Walked, expected: Expected["funders"]): void {
  expect([...funders.keys()]).toEqual([...expected.keys()]);
  for (const [ein, pages] of funders) {
    expect(pages[100]).toEqual(expected.get(ein));
    expect(pages[1000]).toEqual(pages[100].length > 100 ? expected.get(ein) : []);
  }
}

async function readRejects(release: string) {
  const path = join(release, "rejects.parquet");
  const read = await connection().runAndReadAll(
    `SELECT source_file AS file, source_row::INTEGER AS row, reason, * FROM '${path}'`,
  );
  return read.getRowObjectsJson();
}

describe.each([
  { name: "real filings", isSkipped: !isRealHere, find: async () => realWarehouse },
  {
    name: "a sample",
    isSkipped: false,
    async find() {
      const warehouse = join(folder.home, "warehouse");
      const spillFolder = join(folder.home, "spill");
      await writeSample({
        rows: proofs.syncedRows,
        seed: 7,
        folder: warehouse,
        memory: "1GB",
        threads: 2,
        spillFolder,
      });
      return warehouse;
    },
  },
])("a sync of $name", ({ isSkipped, find }) => {
  it.skipIf(isSkipped)("puts every row, normalized, into the pages or the rejects", async () => {
    const synced = await syncAndModel(await find());
    checkCounts(synced);
    checkPages(synced.walked.funders, synced.expected.funders);
    const rejects = await readRejects(synced.release);
    expect(rejects.map(({ file, row, reason }) => ({ file, row, reason }))).toEqual(synced.expected.rejects);
    const rows = new Map(synced.rows.map((row) => [`${row.file}\n${row.row}`, row.values]));
    for (const reject of rejects)
      expect(reject).toMatchObject(rows.get(`${reject.file}\n${reject.row}`) ?? {});
  });
});
