// Tests that the files of many grants keep the order of the table and have the same bytes in every run, with two threads.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  csvRecordsMax,
  type DownloadName,
  downloadKey,
} from "../../../../api-static/contract/answers/downloads.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { openDatabase } from "../../../../pipeline/base/database.ts";
import { digestFile } from "../../../../pipeline/base/digests.ts";
import { writeDownloads } from "../../../../pipeline/parts/downloads/downloads.ts";
import { writeGrants } from "../../../../pipeline/parts/downloads/grants.ts";
import { useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** Three row groups of DuckDB's default size, and an organization for half of the funders and recipients. */
const tablesSql = `
CREATE TABLE grants AS SELECT i AS id, (100000000 + i // 70)::UINTEGER AS funder_ein, 2020::USMALLINT AS transaction_year,
  'Name ' || i % 999 AS recipient_name, (200000000 + i * 7919 % 50000)::UINTEGER AS recipient_ein, 'type' AS type,
  (300000 - i)::DECIMAL(18,2) AS amount, NULL::DECIMAL(18,2) AS non_cash_amount, NULL::VARCHAR AS non_cash_description,
  'purpose ' || hash(i) AS purpose, TIMESTAMP '2024-01-02 03:04:05' AS created_at FROM range(300000) t(i);
CREATE TABLE listed AS SELECT (100000000 + 100000000 * (i % 2) + i)::UINTEGER AS ein, 'Organization ' || i AS name FROM range(50000) t(i)`;

describe("the files with all grants", () => {
  it.each([
    [csvRecordsMax, true],
    [csvRecordsMax + 1, false],
  ])("have the CSV of %i grants: %s", async (records, hasCsv) => {
    const bounds = { memory: "1GB", threads: 1, spillFolder: join(folder.home, "spill") };
    const { instance, connection } = await openDatabase(bounds);
    try {
      await connection.run(tablesSql.replaceAll("300000)", "10)"));
      await writeFile(join(folder.home, parts.matchesFile), "matches");
      const dataset = {
        release: "20261120T040000Z",
        moment: "",
        isSynthetic: true,
        hasNames: false,
        records,
      };
      const matches = { bytes: 7, sha256: "aa" };
      const made = await writeDownloads(
        instance,
        folder.home,
        { ...dataset, firstYear: 2020, lastYear: 2020 },
        Promise.resolve(matches),
        () => {},
      );
      const csv = downloadKey("grants.csv.gz");
      expect(Object.keys(made).includes(join(parts.public, csv))).toBe(hasCsv);
      const read = (name: DownloadName) =>
        readFile(join(folder.home, parts.public, downloadKey(name)), "utf8");
      for (const name of ["SHA256SUMS", "datapackage.json", "croissant.json"] as const)
        expect((await read(name)).includes("grants.csv.gz")).toBe(hasCsv);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });

  it("keep the order of the table beside the names, and repeat their bytes", async () => {
    const bounds = { memory: "1GB", threads: 2, spillFolder: join(folder.home, "spill") };
    const { instance, connection } = await openDatabase(bounds);
    try {
      await connection.run(tablesSql);
      const digests = [];
      for (const name of ["one", "two"]) {
        const release = join(folder.home, name);
        await mkdir(join(release, "public/v1/downloads"), { recursive: true });
        await writeGrants(connection, release, { release: "20261120T040000Z", hasNames: true, hasCsv: true });
        const pathOf = (file: "grants.parquet" | "grants.csv.gz") =>
          join(release, "public", downloadKey(file));
        digests.push([await digestFile(pathOf("grants.parquet")), await digestFile(pathOf("grants.csv.gz"))]);
        expect((await readFile(pathOf("grants.csv.gz"))).readUInt32LE(4)).toBe(0); // no time in the header
        const wrong = await connection.runAndReadAll(
          `SELECT count(*)::INTEGER, count(funder_name)::INTEGER, count(*) FILTER (id <> file_row_number
            OR funder_name <> 'Organization ' || (funder_ein::INTEGER - 100000000)
            OR recipient_organization_name <> 'Organization ' || (recipient_ein::INTEGER - 200000000))::INTEGER
          FROM read_parquet($path, file_row_number = true)`,
          { path: pathOf("grants.parquet") },
        );
        expect(wrong.getRows()).toEqual([[300_000, 150_010, 0]]);
      }
      expect(digests[1]).toEqual(digests[0]);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });
});
