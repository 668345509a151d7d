// Tests the cluster of ClickHouse servers that other tests rely on.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClickHouseCluster, findClickHouse } from "./clickhouse.fixture.ts";

const program = findClickHouse("the cluster of ClickHouse servers");

describe.skipIf(program === undefined)("the cluster", () => {
  let cluster: ClickHouseCluster;

  beforeAll(async () => {
    cluster = await ClickHouseCluster.start(program ?? "");
  });
  afterAll(() => cluster?.stop());

  it("answers for all shards, fails without one, and answers again when it is back", async () => {
    const sql = "SELECT count() FROM cluster('grants', system, one)";
    expect(await cluster.query(1, sql)).toBe("3\n");
    await cluster.kill(2);
    await expect(cluster.query(1, sql)).rejects.toThrow();
    await cluster.restart(2);
    expect(await cluster.query(1, sql)).toBe("3\n");
  });
});
