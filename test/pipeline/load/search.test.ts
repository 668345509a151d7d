// Tests that the tables of a cluster of ClickHouse servers have the grants that searches find in a release, and never answer without a shard.
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { href } from "../../../api-static/contract/pageKeys.ts";
import type { HistoryRequest } from "../../../api-static/contract/request.ts";
import { countRecords, parts } from "../../../api-static/release/layout.ts";
import { tableName } from "../../../api-static/search/sql/table.ts";
import { writeSample } from "../../../tools/sample/sample.ts";
import { askRaw, readPort, type ServerProcess, startServer } from "../../api-static/server/socket.fixture.ts";
import { exportKeys } from "../../bench/accepted.ts";
import { formatWhere } from "../../bench/peers/where.ts";
import { pickValues } from "../../bench/picks.ts";
import { buildSuite } from "../../bench/suite.ts";
import { runCommand, syncRelease } from "../release.fixture.ts";
import { ClickHouseCluster, findClickHouse } from "./clickhouse.fixture.ts";

const rows = 200_000;
const program = findClickHouse("searches on a cluster of ClickHouse servers");

/** A page and the number of all matches. */
type Found = { readonly total: number; readonly lines: readonly string[] };

const quote = (text: string) => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

/** The condition of a request's filters. */
function whereOf({ filters }: HistoryRequest): string {
  const { clause, values } = formatWhere(filters, {
    placeholder: (number) => `{${number}}`,
    contains: (column, text, placeholder) => [
      `position(${column.replace("_text", "")}, ${placeholder}) > 0`,
      text,
    ],
  });
  return clause.replaceAll(/\{(\d+)\}/g, (_, number) => {
    const value = values[number - 1] ?? "";
    return typeof value === "string" ? quote(value) : String(value);
  });
}

describe.skipIf(program === undefined)("the tables of a cluster", () => {
  let [root, table] = ["", ""];
  let requests: readonly HistoryRequest[] = [];
  let cluster: ClickHouseCluster;
  let server: ServerProcess | undefined;
  let port = 0;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "cluster-"));
    const [warehouse, data] = [join(root, "warehouse"), join(root, "data")];
    const bounds = { memory: "1GB", threads: 2, spillFolder: join(root, "spill") };
    await writeSample({ rows, seed: 1, folder: warehouse, ...bounds });
    const release = await syncRelease(warehouse, data);
    table = tableName(release.split("/").at(-1) ?? "");
    cluster = await ClickHouseCluster.start(program ?? "");
    const loaded = await runCommand(["load"], { DATA: data, TO: "clickhouse", ...cluster.environment });
    expect(loaded.code, loaded.stderr).toBe(0);
    requests = await drawRequests(release);
    server = startServer({ DATA: data, PORT: "0" });
    port = await readPort(server);
  });

  afterAll(async () => {
    server?.child.kill("SIGKILL");
    await server?.ended;
    await cluster?.stop();
    await rm(root, { recursive: true, force: true });
  });

  async function drawRequests(release: string): Promise<HistoryRequest[]> {
    const work = join(root, "picks");
    await mkdir(work);
    const records = countRecords(await readFile(join(release, parts.funders)));
    const grants = await exportKeys({ release, records }, work, join(work, "grants.parquet"));
    return buildSuite(await pickValues(grants, join(work, "spill"))).map(({ request }) => request);
  }

  async function askServer(request: HistoryRequest): Promise<Found> {
    const body = (await askRaw(port, href(request))).body.toString();
    const lines = body.split("\n").slice(1, -2); // without the start and the end of the object
    const { total } = JSON.parse(body) as { total: number };
    return { total, lines: lines.map((line) => line.replace(/,$/, "")) };
  }

  async function askCluster(node: number, request: HistoryRequest): Promise<Found> {
    const where = whereOf(request);
    const [total = ""] = (await cluster.query(node, `SELECT count() FROM ${table} ${where}`)).split("\n");
    const page = `ORDER BY -transaction_year, -amount_cents, id LIMIT ${request.offset}, ${request.limit}`;
    const sql = `SELECT line FROM ${table} ${where} ${page} FORMAT JSONCompact`;
    const { data } = JSON.parse(await cluster.query(node, sql)) as { data: [string][] };
    return { total: Number(total), lines: data.map(([line]) => line) };
  }

  it("have the totals and the bytes of the records that drawn searches find", async () => {
    expect(requests.length).toBeGreaterThan(150);
    for (const [index, request] of requests.entries())
      expect(await askCluster(index % 3, request), href(request)).toEqual(await askServer(request));
  });

  it("give no answer without a shard, and the same ones when it is back", async () => {
    const some = requests.filter(({ filters }) => filters.funderEin === undefined).slice(0, 20);
    for (const node of [2, 0]) {
      await cluster.kill(node);
      for (const request of some) await expect(askCluster(1, request), href(request)).rejects.toThrow();
      await cluster.restart(node);
      for (const request of some) expect(await askCluster(1, request)).toEqual(await askServer(request));
    }
  });
});
