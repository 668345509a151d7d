// Owns the verification that a release's parts agree: totals, order, uniqueness, and the same bytes by every path.

import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Ein, formatEin } from "../api-static/ein.ts";
import { countRecords, funderRowBytes, offsetBytes, parts, readFunderRow } from "../api-static/layout.ts";
import { pageSizes } from "../api-static/limits.ts";
import type { HistoryRequest } from "../api-static/request.ts";
import { answerByFile, answerBySearch, answerBySlice } from "../api-static/server/answer.ts";
import { Release } from "../api-static/server/release.ts";
import { openDatabase, sqlText } from "./database.ts";
import type { Manifest } from "./manifest.ts";

/** Funders whose pages are compared by every path: spread evenly, first and last among them. */
const funderSamples = 50;

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
      ...(await findIndexProblems(connection, folder, manifest)),
      ...(await findPathProblems(release)),
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

/** Counts that must be zero, over the records read as JSON and the index. `$total` is the number of records. */
const contradictions: Readonly<Record<string, string>> = {
  "ids that occur twice": "SELECT count(id) - count(DISTINCT id) FROM record",
  "records missing from by_rank": "SELECT abs($total - count(DISTINCT position)) FROM index.by_rank",
  "records missing from by_funder":
    "SELECT abs($total - count(*)) FROM index.by_funder WHERE position = rowid",
  "records missing from by_recipient":
    "SELECT abs((SELECT count(recipient_ein) FROM record) - count(*)) FROM index.by_recipient",
  "keys of the index that differ from their record": `SELECT count(*) FROM index.by_funder AS key
    JOIN record ON key.position = record.position
    WHERE (key.funder_ein, key.recipient_ein, key.transaction_year, key.amount_cents)
      IS DISTINCT FROM (record.funder_ein, record.recipient_ein, record.transaction_year, record.amount_cents)`,
  "records out of order": `SELECT count(*) FROM (
    SELECT (funder_ein, -transaction_year::INTEGER, -amount_cents, id) AS key, lag(key) OVER (ORDER BY position) AS before FROM record
  ) WHERE key <= before`,
  "keys of by_rank out of order": `SELECT count(*) FROM (
    SELECT (-transaction_year::INTEGER, -amount_cents) AS key, lag(key) OVER (ORDER BY rowid) AS before FROM index.by_rank
  ) WHERE key < before`,
};

async function findIndexProblems(
  connection: DuckDBConnection,
  folder: string,
  manifest: Manifest,
): Promise<string[]> {
  await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS index (READ_ONLY)`);
  await connection.run(`
    CREATE TABLE record AS
    SELECT (row_number() OVER () - 1)::UINTEGER AS position, field.* FROM (
      SELECT from_json(line[:-2], '{"id":"BIGINT","funder_ein":"UINTEGER","recipient_ein":"UINTEGER",
        "transaction_year":"USMALLINT","amount":"DECIMAL(18,2)"}') AS field
      FROM read_csv('${sqlText(join(folder, parts.records))}', header = false, delim = '\\x01', quote = '', escape = '',
        columns = {'line': 'VARCHAR'}, strict_mode = false, auto_detect = false)
    )`);
  await connection.run("ALTER TABLE record ADD COLUMN amount_cents BIGINT");
  await connection.run("UPDATE record SET amount_cents = (amount::DECIMAL(20,2) * 100)::BIGINT");
  const problems: string[] = [];
  for (const [problem, sql] of Object.entries(contradictions)) {
    const values = sql.includes("$total") ? { total: manifest.totals.records } : undefined;
    const result = await connection.runAndReadAll(`SELECT (${sql})::DOUBLE`, values);
    const count = Number(result.getRows()[0]?.[0]);
    if (count !== 0) problems.push(`${count} ${problem}`);
  }
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

function pageRequest(funderEin: Ein, limit: number, offset: number): HistoryRequest {
  return { kind: "history", scope: "funder", filters: { funderEin }, limit, offset };
}
