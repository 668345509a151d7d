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
import { type DatabaseSettings, openDatabase, sqlText } from "../base/database.ts";
import { allEnded } from "../base/parallel.ts";
import type { Manifest } from "../releases/manifest.ts";
import { findAnswerProblems, findFileDifferences } from "./answers.ts";
import { findColumnProblems } from "./columns.ts";
import { findDownloadProblems } from "./downloads.ts";
import { findContradictions, findPlaceProblems, findTotalsProblems } from "./index.ts";
import { findMatchProblems } from "./matches.ts";
import { findOrganizationColumnProblems } from "./organizationColumns.ts";
import { findNamesProblems, findOrganizationProblems } from "./organizations.ts";
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
      const [inRecords, inIndex, inLists] = await allEnded(
        useIndex(instance, (own) => findTableContradictions(own, release, manifest, isWhole)),
        useIndex(instance, (own) => findIndexProblems(own, release, manifest)),
        useIndex(instance, (own) => findListProblems(own, release, manifest)),
      );
      return [...inRecords, ...inIndex, ...inLists];
    } finally {
      release.leave();
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Runs a check on a connection of its own, whose current database is the index. */
async function useIndex<Result>(
  instance: DuckDBInstance,
  check: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await instance.connect();
  try {
    await connection.run("USE index");
    return await check(connection);
  } finally {
    connection.closeSync();
  }
}

/** Checks the columns of the index, then what searches find in them, and that files have the same pages. */
async function findIndexProblems(
  connection: DuckDBConnection,
  release: Release,
  manifest: Manifest,
): Promise<string[]> {
  const problems = await findColumnProblems(connection, release);
  if (problems.length > 0) return problems;
  return [
    ...(await findAnswerProblems(connection, release, manifest)),
    ...(await findDownloadProblems(connection, release, manifest)),
    ...(await findFileDifferences(release)),
  ];
}

/** Checks the organizations, and then the files of names and the index of names, which are made from them. */
async function findListProblems(
  connection: DuckDBConnection,
  release: Release,
  manifest: Manifest,
): Promise<string[]> {
  const problems = await findOrganizationProblems(release.folder, manifest);
  if (problems.length > 0) return problems;
  return [
    ...(await findNamesProblems(release, manifest)),
    ...(await findOrganizationColumnProblems(connection, release.folder)),
  ];
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

/** Compares the records with the tables of the index, and these with each other. */
async function findTableContradictions(
  connection: DuckDBConnection,
  release: Release,
  manifest: Manifest,
  isWhole: boolean,
): Promise<string[]> {
  return [
    ...(await findRecordProblems(connection, release, manifest, isWhole)),
    ...(await findTotalsProblems(connection, manifest)),
    ...(await findContradictions(connection, manifest.totals.records)),
    ...(await findPlaceProblems(connection, release.folder, manifest)),
    ...(await findMatchProblems(connection, release.folder, manifest, isWhole)),
  ];
}
