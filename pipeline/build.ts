// Owns the steps that make a release's parts, in order, inside a folder that nobody reads yet.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { copy } from "fs-extra/esm";
import { countRecords, parts } from "../api-static/layout.ts";
import { openapiText } from "../api-static/openapi.ts";
import { nullableFields, timestampSql } from "../api-static/record.ts";
import { routes } from "../api-static/routes.ts";
import { type ChangeCounts, noTables, planKnownPages, type ReleaseTables, writeChanges } from "./changes.ts";
import { followRows } from "./database.ts";
import { type Ingested, ingest } from "./ingest.ts";
import { digestFile, type PartDigest, type Totals } from "./manifest.ts";
import { countPageRows, countPages, cutPages, type PageCounts } from "./pages.ts";
import type { Progress } from "./progress.ts";
import { writeIndex } from "./projections.ts";
import { writeFunders, writeOffsets, writeRecords } from "./records.ts";
import { flushPath } from "./release.ts";
import { countLinkedBytes, type Facts, readFacts } from "./report.facts.ts";
import type { Warehouse } from "./warehouse.ts";

export type BuildSettings = {
  readonly threads: number;
  /** The greatest transaction year that is accepted. */
  readonly nextYear: number;
  /** Folder whose files are copied into the release's public part. */
  readonly site: string;
  /** The release before, which changes are told against. */
  readonly before: { readonly folder: string; readonly tables: ReleaseTables } | undefined;
  /** Whether pages of the release before are taken over where they are the same. */
  readonly isLinking: boolean;
};

export type Built = {
  readonly ingested: Ingested;
  readonly totals: Totals;
  readonly facts: Facts;
  readonly pages: PageCounts;
  readonly linked: number;
  readonly linkedBytes: number;
  readonly changes: ChangeCounts;
  readonly recordsDigest: PartDigest;
};

/** Builds every part of a release but its report and manifest; returns what it holds. */
export async function buildParts(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  warehouse: Warehouse,
  folder: string,
  settings: BuildSettings,
  progress: Progress,
): Promise<Built> {
  const ingested = await ingest(connection, warehouse, folder, settings.nextYear, progress);
  const totals = await readTotals(connection);
  const facts = await readFacts(connection, warehouse);
  const funders = await writeFunders(connection, folder);
  await copy(settings.site, join(folder, parts.public));
  await writeFile(join(folder, parts.public, routes.openapi), openapiText);
  const [, made] = await allEnded(
    makeIndex(instance, folder, totals.records, progress),
    makePages(connection, folder, funders, settings, progress),
  );
  return { ingested, totals, facts, ...made };
}

/** Builds the index over a connection of its own: `records` is written at the same time, and waits for the disk. */
async function makeIndex(
  instance: DuckDBInstance,
  folder: string,
  records: number,
  progress: Progress,
): Promise<void> {
  const connection = await instance.connect();
  try {
    await progress.run("build index", records, "grants", (reach) =>
      writeIndex(connection, folder, (share) => reach(share * records)),
    );
  } finally {
    connection.closeSync();
  }
}

type MadePages = Pick<Built, "pages" | "linked" | "linkedBytes" | "changes" | "recordsDigest">;

/** Writes `records`, cuts the page files from it and tells what changed. */
async function makePages(
  connection: DuckDBConnection,
  folder: string,
  funders: Buffer,
  { before, isLinking, threads }: BuildSettings,
  progress: Progress,
): Promise<MadePages> {
  const records = countRecords(funders);
  await progress.run("write records", records, "grants", (reach) =>
    followRows(connection, records, reach, () => writeRecords(connection, folder)),
  );
  // The largest file is flushed and digested while the workers cut pages, or the end of the sync would wait for both.
  const settled = Promise.all([
    flushPath(join(folder, parts.records)),
    digestFile(join(folder, parts.records)),
  ]);
  settled.catch(() => undefined); // its failure is told where it is awaited
  const funderDigests = await progress.run("find lines", records, "lines", (reach) =>
    writeOffsets(folder, funders, reach),
  );
  const after = { funders, funderDigests };
  const known =
    before !== undefined && isLinking ? planKnownPages(before.folder, before.tables, after) : undefined;
  const cut = await progress.run("cut pages", countPages(funders), "pages", (reach) =>
    cutPages(folder, funders, known, threads, reach),
  );
  await writeFile(join(folder, parts.pages), cut.rows);
  const changes = await writeChanges(folder, before?.tables ?? noTables, after);
  const linkedBytes = countLinkedBytes(known, funders);
  const [, recordsDigest] = await settled;
  return { pages: countPageRows(cut.rows), linked: cut.linked, linkedBytes, changes, recordsDigest };
}

/** The results of all, once all have ended: none goes on unwatched when another fails. */
async function allEnded<Results extends readonly unknown[]>(
  ...works: { [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  await Promise.allSettled(works);
  return (await Promise.all(works)) as unknown as Results;
}

async function readTotals(connection: DuckDBConnection): Promise<Totals> {
  const result = await connection.runAndReadAll(`
    SELECT count(*)::DOUBLE AS records, count(DISTINCT funder_ein)::DOUBLE AS funders,
      count(DISTINCT recipient_ein)::DOUBLE AS recipients,
      min(transaction_year) AS first_year, max(transaction_year) AS last_year,
      sum(amount)::VARCHAR AS amount, coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2)::VARCHAR AS non_cash_amount,
      ${timestampSql("max(created_at)")} AS newest_created_at,
      {${nullableFields.map((field) => `${field}: count(*) FILTER (${field} IS NULL)::DOUBLE`).join(", ")}} AS nulls
    FROM grants`);
  return result.getRowObjectsJson()[0] as unknown as Totals;
}
