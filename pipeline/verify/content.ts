// Verifies that the parts of a release agree: totals, order, uniqueness, and the answers to searches.
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  countRecords,
  funderRowBytes,
  offsetBytes,
  parts,
  readFunderRow,
} from "../../api-static/release/layout.ts";
import { Release } from "../../api-static/search/release.ts";
import { type DatabaseSettings, openDatabase, sqlText, withConnection } from "../base/database.ts";
import { allEnded } from "../base/parallel.ts";
import type { Manifest } from "../releases/manifest.ts";
import { findAnswerProblems, findFileDifferences } from "./answers.ts";
import { findColumnProblems } from "./columns.ts";
import { findContradictions } from "./contradictions.ts";
import { findDownloadProblems } from "./downloads.ts";
import { findMatchProblems } from "./matches.ts";
import { findOrganizationProblems } from "./organizations.ts";
import { findRecordProblems } from "./records.ts";

/**
 * Finds contradictions between the parts of a release whose files are intact.
 * @param isWhole true if all records and matches are compared, as for a release that is kept; else some of them, in turn
 */
export async function findContentProblems(
  folder: string,
  manifest: Manifest,
  bounds: DatabaseSettings,
  isWhole: boolean,
): Promise<string[]> {
  const { instance, connection } = await openDatabase(bounds);
  try {
    const release = await Release.open(folder);
    try {
      const problems = findTableProblems(release, manifest);
      if (problems.length > 0) return problems; // the other checks rely on the tables
      await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS index (READ_ONLY)`);
      // DuckDB reads the records while this thread works on the others.
      const found = await allEnded(
        useIndex(instance, async (own) => [
          ...(await findRecordProblems(own, release, manifest, isWhole)),
          ...(await findContradictions(own, folder, manifest)),
          ...(await findMatchProblems(own, folder, manifest, isWhole)),
        ]),
        useIndex(instance, async (own) => {
          const problems = await findColumnProblems(own, release);
          if (problems.length > 0) return problems; // searches rely on the columns
          return [
            ...(await findAnswerProblems(own, release, manifest)),
            ...(manifest.downloads ? await findDownloadProblems(own, folder) : []),
            ...(await findFileDifferences(release)),
          ];
        }),
        useIndex(instance, (own) => findOrganizationProblems(own, folder, manifest.names.organizations)),
      );
      return found.flat();
    } finally {
      release.leave();
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Runs a check on a connection of its own, whose current database is the index. */
function useIndex<Result>(
  instance: DuckDBInstance,
  check: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  return withConnection(instance, async (own) => {
    await own.run("USE index");
    return check(own);
  });
}

/** Checks the order of the funders, and the numbers of rows and bytes against the manifest. */
function findTableProblems(release: Release, manifest: Manifest): string[] {
  const { funders } = release;
  const problems: string[] = [];
  let [next, lastEin] = [0, -1];
  for (let index = 0; index < funders.length / funderRowBytes; index++) {
    const { ein, first, records } = readFunderRow(funders, index);
    if (ein <= lastEin || first !== next || records < 1)
      problems.push(`${parts.funders}: row ${index} is out of order`);
    [next, lastEin] = [first + records, ein];
  }
  const bytesOf = (part: string) => manifest.parts[part]?.bytes ?? 0;
  const counts: [string, number, number][] = [
    [parts.funders, funders.length / funderRowBytes, manifest.totals.funders],
    [parts.records, countRecords(funders), manifest.totals.records],
    [parts.offsets, bytesOf(parts.offsets) / offsetBytes - 1, manifest.totals.records],
  ];
  for (const [part, found, sealed] of counts) {
    if (found !== sealed) problems.push(`${part} has ${found} entries, the manifest says ${sealed}`);
  }
  if (problems.length > 0) return problems;
  const end = release.records.readEnd(manifest.totals.records);
  if (end === bytesOf(parts.records)) return [];
  return [`${parts.offsets} covers ${end} bytes of records, expected ${bytesOf(parts.records)}`];
}
