// Verifies that the parts of a release agree: totals, order, uniqueness, and the same bytes from files, slices and searches.

import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Ein, formatEin } from "../../api-static/contract/ein.ts";
import { pageSizesOf, parsePageKey } from "../../api-static/contract/pageKeys.ts";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import { toBuffer } from "../../api-static/release/bytes.ts";
import {
  countRecords,
  type FunderRow,
  funderRowBytes,
  offsetBytes,
  parts,
  readFunderRow,
} from "../../api-static/release/layout.ts";
import { DamagedPage } from "../../api-static/release/pageFileFormat.ts";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { answerByFile, answerBySearch, answerBySlice } from "../../api-static/search/answer.ts";
import { Release } from "../../api-static/search/release.ts";
import { type DatabaseSettings, openDatabase, sqlText } from "../base/database.ts";
import { allEnded } from "../base/parallel.ts";
import type { Manifest } from "../releases/manifest.ts";
import { findColumnProblems } from "./columns.ts";
import { findFunderProblems } from "./funders.ts";
import { findContradictions } from "./index.ts";
import { findNamesProblems } from "./names.ts";
import { findOrganizationProblems } from "./organizations.ts";
import { findPeerProblems } from "./peers.ts";
import { findRecordProblems, isUnparsable } from "./records.ts";

/** Number of funders whose pages are compared: evenly spread, including the first and the last. */
const funderSamples = 50;

/** Number of page files of searches that are compared with the search, evenly spread. */
const searchSamples = 20;

/**
 * Finds contradictions between the parts of a release whose files are intact.
 * @param isBuilt true if this process has just built the release
 */
export async function findContentProblems(
  folder: string,
  manifest: Manifest,
  bounds: DatabaseSettings,
  isBuilt = false,
): Promise<string[]> {
  const { instance, connection } = await openDatabase(bounds);
  try {
    const release = await Release.open(folder);
    try {
      const problems = findTableProblems(release, manifest);
      if (problems.length > 0) return problems; // the other checks rely on the tables
      await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS index (READ_ONLY)`);
      // DuckDB works on the first while this thread works on the others.
      const [indexProblems, columnProblems, listProblems] = await allEnded(
        useIndex(instance, (own) => findIndexProblems(own, release, manifest, isBuilt)),
        useIndex(instance, (own) => findColumnProblems(own, folder)),
        findListProblems(release, manifest),
      );
      const found = [...indexProblems, ...columnProblems, ...listProblems];
      if (columnProblems.length > 0 || indexProblems.some(isUnparsable)) return found; // searches rely on both
      return [...found, ...(await findPathProblems(release)), ...(await findSearchProblems(release))];
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

/** Checks the organizations, and then the files of names, which are made from them. */
async function findListProblems(release: Release, manifest: Manifest): Promise<string[]> {
  const problems = await findOrganizationProblems(release.folder, manifest);
  return problems.length > 0 ? problems : findNamesProblems(release, manifest);
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

async function findIndexProblems(
  connection: DuckDBConnection,
  release: Release,
  manifest: Manifest,
  isBuilt: boolean,
): Promise<string[]> {
  return [
    ...(await findContradictions(connection, manifest.totals.records, isBuilt)),
    ...(await findFunderProblems(connection, release)),
    ...(await findPeerProblems(connection)),
    ...(await findRecordProblems(connection, release, manifest)),
  ];
}

/** Compares the first and the last page of some funders, from the file, from a slice and from a search. */
async function findPathProblems(release: Release): Promise<string[]> {
  const problems: string[] = [];
  const count = release.funders.length / funderRowBytes;
  const step = Math.max(1, (count - 1) / (funderSamples - 1));
  for (let at = 0; at < count; at += step) {
    const funder = readFunderRow(release.funders, Math.round(at));
    for (const limit of pageSizesOf(funder.records)) {
      const last = Math.floor((funder.records - 1) / limit) * limit;
      for (const offset of new Set([0, last])) {
        const request = pageRequest(formatEin(funder.ein), limit, offset);
        const slice = toBuffer((await answerBySlice(release, request, funder)).body);
        const search = toBuffer((await answerBySearch(release, request)).body);
        const name = `funder ${formatEin(funder.ein)}, limit ${limit}, offset ${offset}`;
        if (!search.equals(slice)) problems.push(`${name}: search and slice differ`);
        if (!(await hasFile(release, request, funder, slice)))
          problems.push(`${name}: file and slice differ`);
      }
    }
  }
  return problems;
}

/** Compares some page files of searches with the answer of the search. */
async function findSearchProblems(release: Release): Promise<string[]> {
  const problems: string[] = [];
  const pages = [...release.searches.values()];
  const step = Math.max(1, (pages.length - 1) / (searchSamples - 1));
  for (let at = 0; at < pages.length; at += step) {
    const { key, total } = pages[Math.round(at)] ?? { key: "", total: 0 };
    const request = parsePageKey(key);
    if (request === undefined) {
      problems.push(`${parts.searches}: ${key} is not a page key`);
      continue;
    }
    const search = await answerBySearch(release, request);
    const isSame = await hasFile(release, request, undefined, toBuffer(search.body));
    if (!isSame || search.page.total !== total) problems.push(`${key}: file and search differ`);
  }
  return problems;
}

/** True if a request has a page file that can be decompressed, to these bytes. */
async function hasFile(
  release: Release,
  request: HistoryRequest,
  funder: FunderRow | undefined,
  body: Buffer,
): Promise<boolean> {
  try {
    const file = await answerByFile(release, request, funder);
    return file !== undefined && gunzipSync(toBuffer(file.body)).equals(body);
  } catch (error) {
    if (error instanceof DamagedPage || systemCode(error)?.startsWith("Z_")) return false;
    throw error;
  }
}

function pageRequest(funderEin: Ein, limit: number, offset: number): HistoryRequest {
  return { kind: "history", scope: "funder", filters: { funderEin }, limit, offset };
}
