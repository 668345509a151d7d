// Owns the steps that make a release's parts, in order, inside a folder that nobody reads yet.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { copy } from "fs-extra/esm";
import { parts } from "../api-static/layout.ts";
import { timestampSql } from "../api-static/record.ts";
import { type Ingested, ingest } from "./ingest.ts";
import { digestFile, type PartDigest, type Totals } from "./manifest.ts";
import { countPages, cutPages, type PageCounts } from "./pages.ts";
import type { Progress } from "./progress.ts";
import { writeIndex } from "./projections.ts";
import { writeFunders, writeOffsets, writeRecords } from "./records.ts";
import type { Warehouse } from "./warehouse.ts";

export type BuildSettings = {
  readonly threads: number;
  /** The greatest transaction year that is accepted. */
  readonly nextYear: number;
  /** Folder whose files are copied into the release's public part. */
  readonly site: string;
};

export type Built = {
  readonly ingested: Ingested;
  readonly totals: Totals;
  readonly pages: PageCounts & { readonly sha256: string };
  readonly parts: Readonly<Record<string, PartDigest>>;
};

/** Builds every part of a release but its report and manifest; returns what it holds. */
export async function buildParts(
  connection: DuckDBConnection,
  warehouse: Warehouse,
  folder: string,
  settings: BuildSettings,
  progress: Progress,
): Promise<Built> {
  const ingested = await ingest(connection, warehouse, folder, settings.nextYear, progress);
  const totals = await readTotals(connection);
  const { accepted } = ingested;
  await progress.run("write records", accepted, "grants", () => writeRecords(connection, folder));
  const records = await progress.run("find lines", accepted, "lines", (reach) =>
    writeOffsets(folder, accepted, reach),
  );
  const funders = await writeFunders(connection, folder);
  await copy(settings.site, join(folder, parts.public));
  const [pages] = await Promise.all([
    progress.run("cut pages", countPages(funders), "pages", (reach) =>
      cutPages(folder, funders, accepted, settings.threads, reach),
    ),
    progress.run("build index", accepted, "grants", () => writeIndex(connection, folder)),
  ]);
  return {
    ingested,
    totals,
    pages,
    parts: {
      [parts.records]: records,
      [parts.offsets]: await digestFile(join(folder, parts.offsets)),
      [parts.funders]: await digestFile(join(folder, parts.funders)),
      [parts.index]: await digestFile(join(folder, parts.index)),
      [parts.rejects]: await digestFile(join(folder, parts.rejects)),
    },
  };
}

async function readTotals(connection: DuckDBConnection): Promise<Totals> {
  const result = await connection.runAndReadAll(`
    SELECT count(*)::DOUBLE AS records, count(DISTINCT funder_ein)::DOUBLE AS funders,
      count(DISTINCT recipient_ein)::DOUBLE AS recipients,
      min(transaction_year) AS first_year, max(transaction_year) AS last_year,
      sum(amount)::VARCHAR AS amount, coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2)::VARCHAR AS non_cash_amount,
      ${timestampSql("max(created_at)")} AS newest_created_at
    FROM grants`);
  return result.getRowObjectsJson()[0] as unknown as Totals;
}
