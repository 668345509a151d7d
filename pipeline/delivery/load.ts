// Loads a release into a table of ClickHouse, and drops the tables of releases that are no longer kept.
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { lineEnd } from "../../api-static/contract/answers/envelope.ts";
import { parts, releaseIdPattern } from "../../api-static/release/layout.ts";
import { Records } from "../../api-static/release/records.ts";
import { ClickHouseServer, parseRows } from "../../api-static/search/sql/clickhouse.ts";
import { createTableSql, grantsSql, tableColumnNames, tableName } from "../../api-static/search/sql/table.ts";
import {
  type DatabaseSettings,
  integersOf,
  openDatabase,
  sqlText,
  streamChunks,
  withConnection,
} from "../base/database.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { allOrNone } from "../base/parallel.ts";
import { formatCount, formatSeconds, type OnProgress, type Progress } from "../base/progress.ts";
import { listReleases, releaseFolder } from "../releases/folders.ts";
import { readManifest, schemaVersion } from "../releases/manifest.ts";
import type { KeptRelease } from "../verify/verify.ts";

export type LoadSettings = KeptRelease &
  DatabaseSettings & {
    /** The servers; each is a shard if there are several. */
    readonly urls: readonly URL[];
    /** The name that the servers have for their cluster; empty for a server alone. */
    readonly cluster: string;
    /** Loads a release again that is already loaded. */
    readonly isForced: boolean;
  };

export type LoadContext = { readonly progress: Progress; readonly clock: () => Date };

/** Characters of a block. A server turns each block into a part on its disk. */
const blockSize = 2 ** 24;

/** The rows without their lines. They need no order, because ClickHouse sorts them, but most follow each other in `records`. */
const rowsSql = `
SELECT position::INTEGER, to_json({${tableColumnNames.map((name) => `'${name}': ${name}`).join(", ")}})::VARCHAR
FROM (${grantsSql()}) WHERE funder_ein % $shards = $shard`;

/** The first version with text indexes that need no setting. */
const textIndexVersion = 26;

/** The table in which a shard has its rows while they are loaded; with a cluster, also afterwards. */
const localOf = (table: string) => `${table}_local`;

/** A server that is loaded. Its failures are wrong inputs: the setting names it. */
class ClickHouse extends ClickHouseServer {
  /** @throws InputError if the server does not answer, or refuses */
  override post(...request: Parameters<ClickHouseServer["post"]>): Promise<string> {
    return super.post(...request).catch((error: Error) => {
      throw new InputError(`CLICKHOUSE_URL: ${error.message}`, { cause: error });
    });
  }

  /** The first column of a statement's rows. @throws InputError as above */
  async query(sql: string): Promise<string[]> {
    return parseRows(await this.post(sql)).map(([value]) => value ?? "");
  }
}

/**
 * Makes the table of a release, which exists only when it is complete. Returns the line to print.
 * @throws InputError if the release is damaged, or a server does not answer, refuses, or counts other rows than the manifest
 */
export async function load(settings: LoadSettings, { progress, clock }: LoadContext): Promise<string> {
  const start = performance.now();
  const { data, id, urls, isForced } = settings;
  const folder = releaseFolder(data, id);
  const manifest = await readManifest(folder);
  if (manifest.schema_version !== schemaVersion)
    throw new InputError(
      `RELEASE: "${id}" must be of layout ${schemaVersion}, which this version reads, got ${manifest.schema_version}`,
    );
  const { records } = manifest.totals;
  const shards = urls.map((url) => new ClickHouse(url));
  const table = tableName(id);
  const found = await Promise.all(shards.map((shard) => shard.query(`EXISTS TABLE ${table}`)));
  const isLoaded = found.every(([exists]) => exists === "1");
  if (!isLoaded || isForced) {
    for (const shard of shards) await makeLocal(shard, table);
    await progress.run("load", records, "grants", (onProgress) => fill(settings, shards, onProgress));
    await complete(settings, shards, records);
    const now = clock();
    await utimes(folder, now, now).catch(() => {}); // servers that found no table try again, else within a minute
  }
  const dropped = await dropOthers(data, shards);
  const names = shards.map(({ name }) => name).join(", ");
  return [
    isLoaded && !isForced
      ? `load: nothing new; ${names} has table ${table}`
      : `load: table ${table} in ${names}, ${formatCount(records)} grants, ${formatSeconds((performance.now() - start) / 1000)}`,
    ...(dropped.length > 0 ? [`${dropped.join(" and ")} dropped`] : []),
  ].join(", ");
}

/** Makes an empty table, and drops what an earlier load left. */
async function makeLocal(shard: ClickHouse, table: string): Promise<void> {
  const [version = ""] = await shard.query("SELECT version()");
  for (const name of [table, localOf(table)]) await shard.query(`DROP TABLE IF EXISTS ${name}`);
  await shard.query(createTableSql(localOf(table), Number.parseInt(version, 10) >= textIndexVersion));
}

/** Sends all shards their rows. Each inserts one block while its next one is read. */
async function fill(
  settings: LoadSettings,
  shards: readonly ClickHouse[],
  onProgress: OnProgress,
): Promise<void> {
  const query = `INSERT INTO ${localOf(tableName(settings.id))} FORMAT JSONEachRow`;
  const folder = releaseFolder(settings.data, settings.id);
  let done = 0;
  const fillShard = async (connection: DuckDBConnection, index: number, signal: AbortSignal) => {
    let inserted: Promise<unknown> = Promise.resolve();
    for await (const { count, rows } of readRows(connection, folder, index, shards.length)) {
      await inserted;
      signal.throwIfAborted();
      inserted = shards[index]?.post(rows, { query }) ?? inserted;
      inserted.catch(() => {}); // is thrown when it is awaited
      done += count;
      onProgress(done);
    }
    await inserted;
  };
  const { instance, connection } = await openDatabase(settings);
  try {
    await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS index (READ_ONLY)`);
    await allOrNone(
      ...shards.map(
        (_, index) => (signal: AbortSignal) =>
          withConnection(instance, (own) => fillShard(own, index, signal)),
      ),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * The rows of a shard, in blocks. All records of a funder belong to the same shard.
 * @param connection to a database in which the release's index is attached as `index`
 * @param folder of the release
 */
export async function* readRows(
  connection: DuckDBConnection,
  folder: string,
  shard: number,
  shards: number,
): AsyncGenerator<{ readonly count: number; readonly rows: string }> {
  await connection.run("USE index");
  const records = Records.open(folder);
  let [count, rows] = [0, ""];
  try {
    for await (const chunk of streamChunks(connection, rowsSql, { shard, shards })) {
      const positions = [...integersOf(chunk, 0).subarray(0, chunk.rowCount)];
      const lines = records.readLines(positions).toString().split(lineEnd);
      for (const [index, row] of chunk.getColumnValues(1).entries())
        rows += `${String(row).slice(0, -1)},"line":${JSON.stringify(lines[index])}}\n`;
      count += chunk.rowCount;
      if (rows.length < blockSize) continue;
      yield { count, rows };
      [count, rows] = [0, ""];
    }
    if (count > 0) yield { count, rows };
  } finally {
    records.close();
  }
}

/** Counts the rows, then gives the table its name: on several shards, a table of all of them. */
async function complete(
  { id, cluster }: LoadSettings,
  shards: readonly ClickHouse[],
  records: number,
): Promise<void> {
  const table = tableName(id);
  const local = localOf(table);
  const counts = await Promise.all(shards.map((shard) => shard.query(`SELECT count() FROM ${local}`)));
  const sum = counts.reduce((sum, [count]) => sum + Number(count), 0);
  checkCount("the servers of CLICKHOUSE_URL", sum, records);
  if (cluster === "") {
    await shards[0]?.query(`RENAME TABLE ${local} TO ${table}`);
    return;
  }
  const all = `${cluster}, currentDatabase(), ${local}`;
  for (const shard of shards) {
    const [found] = await shard.query(`SELECT count() FROM cluster(${all})`);
    checkCount(`CLICKHOUSE_CLUSTER "${cluster}" of ${shard.name}`, Number(found), records);
  }
  for (const shard of shards)
    await shard.query(`CREATE TABLE ${table} AS ${local} ENGINE = Distributed(${all})`);
}

function checkCount(place: string, found: number, records: number): void {
  if (found === records) return;
  throw new DamagedError(`${place} must have the ${records} grants of the release's manifest, got ${found}`);
}

/** Drops the tables of releases that the data folder no longer has. Returns their names. */
async function dropOthers(data: string, shards: readonly ClickHouse[]): Promise<string[]> {
  const kept = new Set((await listReleases(data)).flatMap((id) => [tableName(id), localOf(tableName(id))]));
  const dropped = new Set<string>();
  for (const shard of shards) {
    const names = await shard.query(
      "SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name",
    );
    for (const name of names) {
      const [, id = ""] = /^grants_([^_]+)(_local)?$/.exec(name) ?? [];
      if (!releaseIdPattern.test(id) || kept.has(name)) continue;
      await shard.query(`DROP TABLE IF EXISTS ${name}`);
      dropped.add(name);
    }
  }
  return [...dropped];
}
