// Tests `make load TO=clickhouse` against a cluster of three servers: every column of every grant, repeats, failures and old releases.
import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantsSql, tableColumnNames, tableName } from "../../../api-static/search/sql/table.ts";
import { askRaw, readPort, startServer } from "../../api-static/server/socket.fixture.ts";
import { writeMatchable } from "../matches.fixture.ts";
import { type Ended, runCommand, syncRelease } from "../release.fixture.ts";
import { close, openSmallDatabase, useFolder } from "../warehouse/warehouse.fixture.ts";
import { ClickHouseCluster, findClickHouse } from "./clickhouse.fixture.ts";

const program = findClickHouse("loads into ClickHouse");

const folder = useFolder();
let cluster: ClickHouseCluster;
let [warehouse, data] = ["", ""];
const tables = { first: "", second: "" };

/** Grants whose texts need escapes. */
const oddSql = `SELECT id + 5000 AS id, 100000000 AS funder_ein, 2020 AS transaction_year, 'A\\B "c" é' AS recipient_name,
  NULL::VARCHAR AS recipient_ein, 'T\\N ' || chr(9) || 'x' || chr(10) || 'y' AS type, -0.5::DECIMAL(18,2) AS amount,
  'back\\\\slash' || chr(13) || 'return' || chr(9) || 'tab' AS purpose, TIMESTAMP '2026-11-20 04:00:00' AS created_at,
  'Houston' AS recipient_city, 'TX' AS recipient_state, '77002' AS recipient_zip FROM range(3) t(id)`;

async function addGrants(name: string, sql: string): Promise<void> {
  const database = await openSmallDatabase();
  await database.connection.run(`COPY (${sql}) TO '${join(warehouse, name)}' (FORMAT parquet)`);
  close(database);
}

function load(environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return runCommand(["load"], { DATA: data, TO: "clickhouse", ...cluster.environment, ...environment });
}

/** Syncs, and returns the table of the release. */
async function sync(environment: Readonly<Record<string, string>> = {}): Promise<string> {
  await syncRelease(warehouse, data, environment);
  return tableName((await readlink(join(data, "current"))).slice("releases/".length));
}

const tablesOf = (node: number) =>
  cluster.query(node, "SELECT name FROM system.tables WHERE database = 'default' ORDER BY name");

const textColumns = (sql: (name: string) => string) => tableColumnNames.map(sql).join(", ");

/** The values of all columns and the line, of each grant in order of its id, as ClickHouse has them. */
async function loadedRows(table: string): Promise<unknown[][]> {
  const sql = `SELECT ${textColumns((name) => `toString(${name})`)}, line FROM ${table} ORDER BY id FORMAT JSONCompact`;
  return (JSON.parse(await cluster.query(0, sql)) as { data: unknown[][] }).data;
}

/** The same, as the release has them. */
async function releaseRows(): Promise<unknown[][]> {
  const database = await openSmallDatabase();
  try {
    await database.connection.run(
      `ATTACH '${join(data, "current/index.duckdb")}' AS found (READ_ONLY); USE found`,
    );
    const lines = (await readFile(join(data, "current/records"), "utf8")).split(",\n");
    const sql = `SELECT ${textColumns((name) => `${name}::VARCHAR`)}, position::INTEGER FROM (${grantsSql()}) ORDER BY id`;
    const rows = (await database.connection.runAndReadAll(sql)).getRows();
    return rows.map((row) => [...row.slice(0, -1), lines[Number(row.at(-1))]]);
  } finally {
    close(database);
  }
}

describe.skipIf(program === undefined)("make load", () => {
  beforeAll(async () => {
    [warehouse, data] = [join(folder.root, "warehouse"), join(folder.root, "data")];
    await writeMatchable(warehouse);
    await addGrants("odd.parquet", oddSql);
    tables.first = await sync();
    cluster = await ClickHouseCluster.start(program ?? "");
  });
  afterAll(() => cluster?.stop());

  // The steps follow each other, so they are one test.
  it("loads every grant once, repeats nothing, leaves nothing half, and drops tables of releases that are gone", async () => {
    const { first } = tables;

    await cluster.kill(2);
    const down = await load();
    expect(down).toMatchObject({ code: 2, stdout: "" });
    expect(down.stderr).toBe(`load: CLICKHOUSE_URL: ${cluster.urls[2]} does not answer (ECONNREFUSED)\n`);
    await cluster.restart(2);

    const wrong = await load({ CLICKHOUSE_CLUSTER: "others" });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(`CLICKHOUSE_URL: ${cluster.urls[0]} refused a statement (status 500, `);
    for (const node of [0, 1, 2]) expect(await tablesOf(node)).toBe(`${first}_local\n`);

    const two = { CLICKHOUSE_URL: cluster.urls.slice(0, 2).join(",") };
    const short = await load(two); // the third server's rows of the failed load are counted too
    expect(short.code).toBe(2);
    expect(short.stderr).toMatch(
      /CLICKHOUSE_CLUSTER "grants" of .* must have the 1403 grants of .*, got \d+\n$/,
    );
    expect(await tablesOf(0)).toBe(`${first}_local\n`);

    expect(await load()).toMatchObject({ code: 0, stdout: expect.stringContaining("1,403 grants") });
    const rows = await loadedRows(first);
    const match = tableColumnNames.indexOf("match");
    expect(new Set(rows.map((row) => row[match])).size).toBeGreaterThan(5);
    expect(rows).toEqual(await releaseRows());
    for (const node of [0, 1, 2]) expect(await tablesOf(node)).toBe(`${first}\n${first}_local\n`);

    const again = await load();
    expect(again).toMatchObject({
      code: 0,
      stdout: `load: nothing new; ${cluster.urls.join(", ")} has table ${first}\n`,
    });
    expect(await load({ FORCE: "1" })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1,403 grants"),
    });
    expect(await loadedRows(first)).toEqual(rows);

    await cluster.kill(1);
    await expect(cluster.query(0, `SELECT count() FROM ${first}`)).rejects.toThrow();
    await cluster.restart(1);
    expect(await cluster.query(0, `SELECT count() FROM ${first}`)).toBe("1403\n");

    await addGrants("odd.parquet", oddSql.replace("range(3)", "range(4)"));
    tables.second = await sync({ KEEP: "1" });
    await cluster.query(0, "CREATE TABLE grants_of_others (a UInt8) ENGINE = Memory");
    const { second } = tables;
    const switched = await load();
    expect(switched).toMatchObject({ code: 0, stdout: expect.stringContaining("1,404 grants") });
    expect(switched.stdout).toContain(`, ${first} and ${first}_local dropped\n`);
    expect(await tablesOf(0)).toBe(`${second}\n${second}_local\ngrants_of_others\n`);
    expect(await tablesOf(1)).toBe(`${second}\n${second}_local\n`);
    expect(await loadedRows(second)).toEqual(await releaseRows());
  });

  it("loads into one server without a cluster", async () => {
    const alone = { CLICKHOUSE_URL: `${cluster.urls[0]}/?database=alone`, CLICKHOUSE_CLUSTER: "" };
    await cluster.query(0, "CREATE DATABASE alone");
    expect(await load(alone)).toMatchObject({ code: 0, stdout: expect.stringContaining("grants") });
    const table = await sync();
    expect(await cluster.query(0, "SELECT name FROM system.tables WHERE database = 'alone'")).toBe(
      `${table}\n`,
    );
    expect(await loadedRows(`alone.${table}`)).toEqual(await releaseRows());
  });

  it("lets a server follow to a release that had no table when it became current", async () => {
    const own = join(folder.root, "follow");
    const environment = {
      DATA: own,
      CLICKHOUSE_URL: `${cluster.urls[0]}/?database=follow`,
      CLICKHOUSE_CLUSTER: "",
    };
    await cluster.query(0, "CREATE DATABASE follow");
    await syncRelease(warehouse, own);
    expect(await load(environment)).toMatchObject({ code: 0 });
    const server = startServer({ ...environment, PORT: "0", SEARCH_ENGINE: "clickhouse" });
    try {
      const port = await readPort(server);
      const served = async () => {
        const { status, headers, body } = await askRaw(port, "/v1/history?purpose=tab&min_amount=-1");
        expect(status).toBe(200);
        expect(headers["server-timing"]).toContain("clickhouse");
        expect(JSON.parse(String(body)).total).toBeGreaterThan(0);
        return JSON.parse(String((await askRaw(port, "/v1/status")).body)).release;
      };
      const first = await served();
      await syncRelease(warehouse, own, { FORCE: "1" });
      await expect.poll(() => server.output(), { timeout: 30_000 }).toContain("cannot be served");
      expect(await served()).toBe(first);
      expect(await load(environment)).toMatchObject({ code: 0 });
      await expect.poll(served, { timeout: 30_000 }).not.toBe(first);
    } finally {
      server.child.kill("SIGKILL");
      await server.ended;
    }
  });
});
