// Tests that searches on a cluster of ClickHouse servers answer as the server's own index does, and never without a shard.
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { href } from "../../../api-static/contract/operations/searches.ts";
import { countRecords, parts } from "../../../api-static/release/layout.ts";
import { exportKeys } from "../../../tools/bench/accepted.ts";
import { buildOwnSuite } from "../../../tools/bench/ownSuite.ts";
import { pickValues } from "../../../tools/bench/picks.ts";
import { buildSuite } from "../../../tools/bench/suite.ts";
import { writeSample } from "../../../tools/sample/sample.ts";
import { expectSame } from "../../api-static/edge/edge.fixture.ts";
import { requestTable } from "../../api-static/requestTable.ts";
import { askRaw, readPort, type ServerProcess, startServer } from "../../api-static/server/socket.fixture.ts";
import { readTableFacts } from "../../api-static/tableFacts.ts";
import { runCommand, syncRelease } from "../release.fixture.ts";
import { ClickHouseCluster, findClickHouse } from "./clickhouse.fixture.ts";

const rows = 200_000;
const program = findClickHouse("searches on a cluster of ClickHouse servers");

/** A search that no page file answers. */
const search = "/v1/history?purpose=educat&min_amount=1234";

describe.skipIf(program === undefined)("searches on a cluster", () => {
  let [root, release] = ["", ""];
  let cluster: ClickHouseCluster;
  const servers: ServerProcess[] = [];
  const ports = { own: 0, cluster: 0 };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "cluster-"));
    const [warehouse, data] = [join(root, "warehouse"), join(root, "data")];
    const bounds = { memory: "1GB", threads: 2, spillFolder: join(root, "spill") };
    await writeSample({ rows, seed: 1, folder: warehouse, ...bounds });
    release = await syncRelease(warehouse, data);
    cluster = await ClickHouseCluster.start(program ?? "");
    const loaded = await runCommand(["load"], { DATA: data, TO: "clickhouse", ...cluster.environment });
    expect(loaded.code, loaded.stderr).toBe(0);
    const start = async (environment: Record<string, string>) => {
      const server = startServer({ DATA: data, PORT: "0", SEARCH_SECONDS: "60", ...environment });
      servers.push(server);
      const port = await readPort(server);
      console.log(server.output());
      return port;
    };
    ports.own = await start({});
    ports.cluster = await start({ SEARCH_ENGINE: "clickhouse", ...cluster.environment });
  });

  afterAll(async () => {
    for (const { child, ended } of servers) {
      child.kill("SIGKILL");
      await ended;
    }
    await cluster?.stop();
    await rm(root, { recursive: true, force: true });
  });

  async function expectSameAnswers(paths: readonly string[]): Promise<void> {
    for (const path of new Set(paths))
      expectSame(path, await askRaw(ports.own, path), await askRaw(ports.cluster, path));
  }

  it("have the same bytes for every request of the table", async () => {
    await expectSameAnswers(requestTable(readTableFacts(release)).map(({ path }) => path));
  }, 600_000); // on a busy machine

  it("have the same bytes for drawn searches, totals and groups", async () => {
    const work = join(root, "picks");
    await mkdir(work);
    const records = countRecords(readFileSync(join(release, parts.funders)));
    const corpus = {
      warehouse: "",
      data: "",
      release,
      records,
      indexBytes: 0,
      sync: { seconds: 0 } as never,
    };
    const picks = await pickValues(
      await exportKeys(corpus, work, join(work, "grants.parquet")),
      join(work, "spill"),
    );
    const paths = [
      ...buildSuite(picks).map(({ request }) => href(request)),
      ...buildOwnSuite(picks).map(({ request }) => request),
    ];
    expect(paths.length).toBeGreaterThan(300);
    await expectSameAnswers(paths.filter((_, index) => index % 2 === 0)); // of each kind several
  }, 600_000);

  it("are refused without a shard, and answered again when it is back", async () => {
    const before = await askRaw(ports.cluster, search);
    expect(before.status).toBe(200);
    expect(before.headers["server-timing"]).toContain("clickhouse");
    for (const node of [2, 0]) {
      await cluster.kill(node);
      for (const amount of [1, 2, 3]) {
        const refused = await askRaw(ports.cluster, `${search}${amount}`);
        expect(refused.status, String(refused.body)).toBe(503);
        expect(JSON.parse(String(refused.body))).toMatchObject({ code: "overloaded" });
        expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
      }
      await cluster.restart(node);
      await expectSameAnswers([search, `${search}4`]);
    }
  });
});
