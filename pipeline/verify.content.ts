// Owns the verification that a release's parts agree: totals, order, uniqueness, and the same bytes by every path.

import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { type Ein, formatEin } from "../api-static/ein.ts";
import { lineEnd } from "../api-static/envelope.ts";
import { countRecords, funderRowBytes, offsetBytes, parts, readFunderRow } from "../api-static/layout.ts";
import { pageSizes } from "../api-static/limits.ts";
import { parsePageKey } from "../api-static/pages.ts";
import type { GrantRecord } from "../api-static/record.ts";
import type { HistoryRequest } from "../api-static/request.ts";
import { answerByFile, answerBySearch, answerBySlice } from "../api-static/server/answer.ts";
import { Release } from "../api-static/server/release.ts";
import { canonicalText } from "../api-static/text.ts";
import { openDatabase, sqlText } from "./database.ts";
import type { Manifest } from "./manifest.ts";
import { findContradictions } from "./verify.index.ts";

/** Funders whose pages are compared by every path: spread evenly, first and last among them. */
const funderSamples = 50;

/** Page files of searches that are compared with the search, spread evenly. */
const searchSamples = 20;

/** Records whose keys are compared with the index, spread evenly: all of a small release. */
const recordSamples = 5_000;

/** Where the parts of a release, each of which is what was sealed, do not agree with each other. */
export async function findContentProblems(folder: string, manifest: Manifest): Promise<string[]> {
  const release = await Release.open(folder);
  const { instance, connection } = await openDatabase({
    memory: "1GB",
    threads: 2,
    spillFolder: join(folder, "..", "spill"),
  });
  try {
    return [
      ...findTableProblems(release, manifest),
      ...(await findIndexProblems(connection, release, manifest)),
      ...(await findPathProblems(release)),
      ...(await findSearchProblems(release)),
    ];
  } finally {
    connection.closeSync();
    instance.closeSync();
    release.leave();
  }
}

/** Every funder follows the one before, and all totals are the accepted rows. */
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
  const counts: [string, number, number][] = [
    [parts.funders, funders.length / funderRowBytes, manifest.totals.funders],
    [parts.records, countRecords(funders), manifest.totals.records],
    [parts.offsets, (manifest.parts[parts.offsets]?.bytes ?? 0) / offsetBytes - 1, manifest.totals.records],
  ];
  for (const [part, found, sealed] of counts) {
    if (found !== sealed) problems.push(`${part} tells of ${found}, the manifest of ${sealed}`);
  }
  return problems;
}

/** The totals of the manifest that the index alone tells. */
const totalsSql = `
SELECT count(DISTINCT recipient_ein)::INTEGER AS recipients, min(transaction_year) AS first_year,
  max(transaction_year) AS last_year, sum(amount_cents)::VARCHAR AS amount,
  count(*) FILTER (recipient_ein IS NULL)::INTEGER AS "nulls of recipient_ein",
  count(*) FILTER (recipient_name IS NULL)::INTEGER AS "nulls of recipient_name",
  count(*) FILTER (purpose IS NULL)::INTEGER AS "nulls of purpose"
FROM by_funder`;

async function findTotalsProblems(connection: DuckDBConnection, { totals }: Manifest): Promise<string[]> {
  const [found = {}] = (await connection.runAndReadAll(totalsSql)).getRowObjectsJson();
  const sealed: Readonly<Record<string, number | string>> = {
    recipients: totals.recipients,
    first_year: totals.first_year,
    last_year: totals.last_year,
    amount: BigInt(totals.amount.replace(".", "")).toString(),
    "nulls of recipient_ein": totals.nulls.recipient_ein,
    "nulls of recipient_name": totals.nulls.recipient_name,
    "nulls of purpose": totals.nulls.purpose,
  };
  return Object.entries(sealed)
    .filter(([name, value]) => found[name] !== value)
    .map(([name, value]) => `${parts.index} tells of ${name} ${found[name]}, the manifest of ${value}`);
}

/** Rows of the index at these positions, as the texts that stand in records. */
const sampledKeysSql = `
SELECT by_funder.position, by_funder.id::VARCHAR, lpad(funder_ein::VARCHAR, 9, '0'), lpad(recipient_ein::VARCHAR, 9, '0'),
  transaction_year, amount_cents::VARCHAR, has_non_cash, purposes.text, recipient_names.text
FROM by_funder
LEFT JOIN purposes ON purposes.id = by_funder.purpose
LEFT JOIN recipient_names ON recipient_names.id = by_funder.recipient_name
WHERE by_funder.position IN (SELECT unnest($positions))
ORDER BY by_funder.position`;

/** What the index tells of a record, by the record's line; undefined when that is no JSON. */
function findKey(line: string): (string | number | boolean | null | undefined)[] | undefined {
  try {
    const record = JSON.parse(line) as GrantRecord;
    return [
      /^\{"id":(-?\d+),/.exec(line)?.[1],
      record.funder_ein,
      record.recipient_ein,
      record.transaction_year,
      /,"amount":(-?\d+\.\d\d),/
        .exec(line)?.[1]
        ?.replace(".", "")
        .replace(/^(-?)0+(?=\d)/, "$1"),
      (record.non_cash_amount ?? 0) > 0,
      record.purpose === null ? null : canonicalText(record.purpose),
      record.recipient_name === null ? null : canonicalText(record.recipient_name),
    ];
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function findIndexProblems(
  connection: DuckDBConnection,
  release: Release,
  manifest: Manifest,
): Promise<string[]> {
  await connection.run(`ATTACH '${sqlText(join(release.folder, parts.index))}' AS index (READ_ONLY)`);
  await connection.run("USE index");
  const problems = await findContradictions(connection, manifest.totals.records);
  problems.push(...(await findTotalsProblems(connection, manifest)));
  const total = manifest.totals.records;
  const step = Math.max(1, total / recordSamples);
  const positions = Array.from({ length: Math.min(total, recordSamples) }, (_, index) =>
    Math.floor(index * step),
  );
  const keys = await connection.runAndReadAll(sampledKeysSql, { positions: listValue(positions) });
  for (const [position, ...key] of keys.getRows()) {
    const line = release.records
      .readLines([Number(position)])
      .toString("utf8", 0)
      .slice(0, -lineEnd.length);
    const expected = findKey(line);
    if (JSON.stringify(key) !== JSON.stringify(expected))
      problems.push(`${parts.index}: position ${position} differs from its record`);
  }
  if (keys.currentRowCount !== positions.length) problems.push(`${parts.index}: positions are missing`);
  return problems;
}

/** The first and last page of a sample of funders, by file, by slice and by search: the same bytes. */
async function findPathProblems(release: Release): Promise<string[]> {
  const problems: string[] = [];
  const count = release.funders.length / funderRowBytes;
  const step = Math.max(1, (count - 1) / (funderSamples - 1));
  for (let at = 0; at < count; at += step) {
    const funder = readFunderRow(release.funders, Math.round(at));
    for (const limit of pageSizes) {
      const last = Math.floor((funder.records - 1) / limit) * limit;
      for (const offset of new Set([0, last])) {
        const request = pageRequest(formatEin(funder.ein), limit, offset);
        const slice = answerBySlice(release, request, funder).body;
        const search = (await answerBySearch(release, request)).body;
        const file = await answerByFile(release, request, funder);
        const name = `funder ${formatEin(funder.ein)}, limit ${limit}, offset ${offset}`;
        if (file === undefined || !gunzipSync(file.body).equals(slice))
          problems.push(`${name}: file and slice differ`);
        if (!search.equals(slice)) problems.push(`${name}: search and slice differ`);
      }
    }
  }
  return problems;
}

/** A sample of the searches' page files, by file and by search: the same bytes. */
async function findSearchProblems(release: Release): Promise<string[]> {
  const problems: string[] = [];
  const pages = [...release.searches.values()];
  const step = Math.max(1, (pages.length - 1) / (searchSamples - 1));
  for (let at = 0; at < pages.length; at += step) {
    const { key, total } = pages[Math.round(at)] ?? { key: "", total: 0 };
    const request = parsePageKey(key);
    if (request === undefined) {
      problems.push(`${parts.searches}: ${key} is no page's key`);
      continue;
    }
    const search = await answerBySearch(release, request);
    const file = await answerByFile(release, request, undefined);
    if (file === undefined || !gunzipSync(file.body).equals(search.body) || search.page.total !== total)
      problems.push(`${key}: file and search differ`);
  }
  return problems;
}

function pageRequest(funderEin: Ein, limit: number, offset: number): HistoryRequest {
  return { kind: "history", scope: "funder", filters: { funderEin }, limit, offset };
}
