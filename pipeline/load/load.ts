// Loads a release into a table of ClickHouse, and drops the tables of releases that are no longer kept.
import { utimes } from "node:fs/promises";
import { releaseIdPattern } from "../../api-static/release/layout.ts";
import { createTableSql, tableColumnNames, tableName } from "../../api-static/search/sql/table.ts";
import { type DatabaseSettings, openDatabase } from "../base/database.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { formatCount, formatSeconds, type OnProgress, type Progress } from "../base/progress.ts";
import { listReleases, releaseFolder } from "../releases/folders.ts";
import { readManifest, schemaVersion } from "../releases/manifest.ts";
import type { KeptRelease } from "../verify/verify.ts";
import { ClickHouse } from "./clickhouse.ts";
import { readRows } from "./rows.ts";

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

/** Characters that are sent to a shard at once. A server turns each such block into a part on its disk. */
const blockSize = 2 ** 24;

/** The first version with text indexes that need no setting. */
const textIndexVersion = 26;

/** The table in which a shard has its rows while they are loaded; with a cluster, also afterwards. */
const localOf = (table: string) => `${table}_local`;

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
  const isLoaded = (await Promise.all(shards.map((shard) => shard.value(`EXISTS TABLE ${table}`)))).every(
    (answer) => answer === "1",
  );
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
  const version = Number.parseInt(await shard.value("SELECT version()"), 10);
  for (const name of [table, localOf(table)]) await shard.query(`DROP TABLE IF EXISTS ${name}`);
  await shard.query(createTableSql(localOf(table), version >= textIndexVersion));
}

/** Sends the rows to their shards. Each inserts one block while the next is read. */
async function fill(
  settings: LoadSettings,
  shards: readonly ClickHouse[],
  onProgress: OnProgress,
): Promise<void> {
  const columns = [...tableColumnNames, "line"].join(", ");
  const sql = `INSERT INTO ${localOf(tableName(settings.id))} (${columns}) FORMAT TabSeparated`;
  const blocks = shards.map((shard) => ({ shard, rows: "", inserted: Promise.resolve() }));
  const send = async (block: (typeof blocks)[number]) => {
    await block.inserted;
    if (block.rows === "") return;
    block.inserted = block.shard.insert(sql, block.rows);
    block.inserted.catch(() => {}); // is thrown when it is awaited
    block.rows = "";
  };
  const { instance, connection } = await openDatabase(settings);
  try {
    let done = 0;
    for await (const { shards: some, rows } of readRows(
      connection,
      releaseFolder(settings.data, settings.id),
      shards.length,
    )) {
      for (const [index, block] of blocks.entries()) {
        block.rows += some[index];
        if (block.rows.length >= blockSize) await send(block);
      }
      done += rows;
      onProgress(done);
    }
    for (const block of blocks) await send(block);
  } finally {
    await Promise.allSettled(blocks.map(({ inserted }) => inserted));
    connection.closeSync();
    instance.closeSync();
  }
  for (const { inserted } of blocks) await inserted;
}

/** Counts the rows, then gives the table its name: on several shards, a table of all of them. */
async function complete(
  { id, cluster }: LoadSettings,
  shards: readonly ClickHouse[],
  records: number,
): Promise<void> {
  const table = tableName(id);
  const local = localOf(table);
  const counts = await Promise.all(shards.map((shard) => shard.value(`SELECT count() FROM ${local}`)));
  checkCount(
    "the servers of CLICKHOUSE_URL",
    counts.reduce((sum, count) => sum + Number(count), 0),
    records,
  );
  if (cluster === "") {
    await shards[0]?.query(`RENAME TABLE ${local} TO ${table}`);
    return;
  }
  for (const shard of shards) {
    const database = await shard.value("SELECT currentDatabase()");
    const found = await shard.value(`SELECT count() FROM cluster('${cluster}', ${database}, ${local})`);
    checkCount(`CLICKHOUSE_CLUSTER "${cluster}" of ${shard.name}`, Number(found), records);
  }
  for (const shard of shards) {
    const database = await shard.value("SELECT currentDatabase()");
    await shard.query(
      `CREATE TABLE ${table} AS ${local} ENGINE = Distributed(${cluster}, ${database}, ${local})`,
    );
  }
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
    const rows = await shard.query(
      "SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name",
    );
    for (const name of rows.flatMap(([name]) => name ?? [])) {
      const [, id = ""] = /^grants_([^_]+)(_local)?$/.exec(name) ?? [];
      if (!releaseIdPattern.test(id) || kept.has(name)) continue;
      await shard.query(`DROP TABLE IF EXISTS ${name}`);
      dropped.add(name);
    }
  }
  return [...dropped];
}
