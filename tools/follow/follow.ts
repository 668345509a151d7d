// Brings a copy of all grants in step with a host: downloads it, or applies changes, and proves the digest before it keeps the result.
import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import * as changes from "../../api-static/contract/answers/changes.ts";
import { downloadKey } from "../../api-static/contract/answers/downloads.ts";
import { recordFields, recordJsonSql, resultOrderSql } from "../../api-static/contract/answers/record.ts";
import { literalPath, openDatabase, sqlText, streamChunks } from "../../pipeline/base/database.ts";
import { InputError } from "../../pipeline/base/failure.ts";
import { flushPath } from "../../pipeline/base/files.ts";

/** The host's URL, and the copy: a DuckDB database with the table `grants`, or a Parquet file. */
export type FollowSettings = Readonly<Record<"from" | "into" | "memory", string>> & {
  readonly threads: number;
};

const columns = recordFields.join(", ");
const table = "copy.grants";
const parquet = (path: string) => `read_parquet('${sqlText(literalPath(path))}')`;

/** The changes do not lead from a copy to the current release, or not to its digest. */
class Outdated extends Error {}

/** @throws InputError if the host cannot be read, or does not lead to its current release. The copy then stays as it was. */
export async function follow(settings: FollowSettings, note: (line: string) => void) {
  const { into, memory, threads } = settings;
  const { instance, connection } = await openDatabase({ memory, threads, spillFolder: `${into}.spill` });
  try {
    const start = await openCopy(connection, into);
    try {
      return await advance(settings, connection, start);
    } catch (error) {
      if (!(error instanceof Outdated) || start === undefined) throw error;
      await connection.run("ROLLBACK").catch(() => undefined); // there may be no transaction
      note(`${error.message}; all grants are downloaded again`);
      return await advance(settings, connection, undefined);
    }
  } catch (error) {
    throw error instanceof Outdated ? new InputError(error.message) : error;
  } finally {
    connection.closeSync();
    instance.closeSync();
    for (const name of ["download", "changes", "next"]) await rm(`${into}.${name}`, { force: true });
  }
}

/** Opens the copy and returns its release; undefined if there is none yet. */
async function openCopy(connection: DuckDBConnection, into: string): Promise<string | undefined> {
  if (into.endsWith(".parquet")) return existsSync(into) ? readRelease(connection, into) : undefined;
  const path = sqlText(into);
  await connection.run(`ATTACH '${path}' AS copy; CREATE TABLE IF NOT EXISTS copy.cursor (release VARCHAR)`);
  return readText(connection, "SELECT release FROM copy.cursor");
}

/** The release that a Parquet file names. */
function readRelease(connection: DuckDBConnection, path: string): Promise<string | undefined> {
  const pairs = `parquet_kv_metadata('${sqlText(literalPath(path))}')`;
  return readText(connection, `SELECT decode(value) FROM ${pairs} WHERE decode(key) = 'release'`);
}

async function readText(connection: DuckDBConnection, sql: string): Promise<string | undefined> {
  return (await connection.runAndReadAll(sql)).getRows()[0]?.[0] as string | undefined;
}

/** @param start the release of the copy; undefined to start from the download */
async function advance(settings: FollowSettings, connection: DuckDBConnection, start: string | undefined) {
  const { from, into } = settings;
  const [download, changed] = [`${into}.download`, `${into}.changes`];
  if (start === undefined)
    await fetchGrants(connection, `${from}/${downloadKey("grants.parquet")}`, download);
  const release = start ?? (await readRelease(connection, download));
  const index = await readIndex(from); // after the download: another release may have become current meanwhile
  const path = changes.findPath(index, release);
  if (path === undefined) throw new Outdated(`no changes lead on from release ${release}`);
  const isParquet = into.endsWith(".parquet");
  const base = start === undefined ? parquet(download) : isParquet ? parquet(into) : table;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE edits AS SELECT '' AS op, ${columns} FROM ${base} LIMIT 0`,
  );
  for (const entry of path) {
    const url = from + changes.changesUrl(entry, "parquet");
    await fetchFile(url, changed, entry.files.find(({ format }) => format === "parquet")?.sha256);
    await connection.run(`DELETE FROM edits WHERE id IN (SELECT id FROM ${parquet(changed)});
      INSERT INTO edits SELECT op, ${columns} FROM ${parquet(changed)}`);
  }
  const { current, entries } = index;
  const { digest = "", records = 0 } = entries.findLast(({ to }) => to === current) ?? {};
  const next = { into, base, release: sqlText(current), digest };
  if (start !== current) await (isParquet ? replaceFile : changeTable)(connection, next);
  return { release: current, start, entries: path.length, records };
}

/** What the copy must be once `base` has the edits. */
type Next = Readonly<Record<"into" | "base" | "release" | "digest", string>>;

const editedSql = (base: string) => `SELECT ${columns} FROM ${base} ANTI JOIN edits USING (id)
  UNION ALL SELECT ${columns} FROM edits WHERE op = 'upsert'`;

/** Changes the table and its cursor in one transaction. */
async function changeTable(connection: DuckDBConnection, { base, release, digest }: Next): Promise<void> {
  const change = `DELETE FROM ${table} WHERE id IN (SELECT id FROM edits);
    INSERT INTO ${table} SELECT ${columns} FROM edits WHERE op = 'upsert'`;
  await connection.run(`BEGIN; ${base === table ? change : `CREATE OR REPLACE TABLE ${table} AS ${editedSql(base)}`};
    DELETE FROM copy.cursor; INSERT INTO copy.cursor VALUES ('${release}')`);
  await prove(connection, table, digest);
  await connection.run("COMMIT");
}

/** Replaces the Parquet file, which names its release, by one rename. */
async function replaceFile(
  connection: DuckDBConnection,
  { into, base, release, digest }: Next,
): Promise<void> {
  const next = `${into}.next`;
  await connection.run(`COPY (FROM (${editedSql(base)}) ORDER BY funder_ein, ${resultOrderSql})
    TO '${sqlText(next)}' (FORMAT parquet, COMPRESSION zstd, KV_METADATA {release: '${release}'})`);
  await prove(connection, parquet(next), digest);
  await flushPath(next);
  await rename(next, into);
}

/** Hashes the line of every record as a release has it. @throws Outdated if that is not the digest */
async function prove(connection: DuckDBConnection, from: string, digest: string): Promise<void> {
  const typed = `SELECT * REPLACE (funder_ein::UINTEGER AS funder_ein, recipient_ein::UINTEGER AS recipient_ein,
    created_at::TIMESTAMP AS created_at) FROM ${from} ORDER BY funder_ein, ${resultOrderSql}`;
  const hash = createHash("sha256");
  for await (const chunk of streamChunks(connection, `SELECT ${recordJsonSql} FROM (${typed})`))
    for (const [line] of chunk.getRows()) hash.update(`${line},\n`);
  if (hash.digest("hex") !== digest) throw new Outdated("the records do not have the digest of the release");
}

/** @throws InputError if the host answers something else, such as a page of a proxy */
async function readIndex(from: string): Promise<changes.ChangesIndex> {
  const url = `${from}/${changes.changesFolder}/${changes.changesIndexName}`;
  const index = changes.parseChain(await request(url, (response) => response.text()));
  if (index !== undefined) return index;
  throw new InputError(`${url} answered something that is no index of changes. Check FROM`);
}

/** Downloads all grants. @throws InputError if the host answers something else */
async function fetchGrants(connection: DuckDBConnection, url: string, path: string): Promise<void> {
  await fetchFile(url, path);
  await connection.run(`SELECT ${columns} FROM ${parquet(path)} LIMIT 0`).catch((cause: unknown) => {
    throw new InputError(`${url} answered something that is no Parquet file of grants. Check FROM`, {
      cause,
    });
  });
}

/** Writes a file as it arrives. @throws Outdated if it does not have this SHA-256 */
async function fetchFile(url: string, path: string, sha256?: string): Promise<void> {
  const hash = createHash("sha256");
  const pass = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) yield hash.update(chunk) && chunk;
  };
  await request(url, ({ body }) => pipeline(body ?? [], pass, createWriteStream(path)));
  if (sha256 !== undefined && hash.digest("hex") !== sha256)
    throw new Outdated(`${url} does not have its SHA-256`);
}

/** @throws Outdated if the host does not have the file */
async function request<Result>(url: string, read: (response: Response) => Promise<Result>): Promise<Result> {
  try {
    const response = await fetch(url);
    if (response.ok) return await read(response);
    const message = `${url} answered ${response.status}`;
    throw [404, 410].includes(response.status) ? new Outdated(message) : new InputError(message);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    throw new InputError(`${url} cannot be read: ${message}`);
  }
}
