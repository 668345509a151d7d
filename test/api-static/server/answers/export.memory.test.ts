// Owns the proof that a large export takes little memory, whoever reads it how slowly, and that others go on beside it.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { close, openSmallDatabase } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { proofs } from "../../../proofs.ts";
import { makeRelease } from "../release.fixture.ts";
import { askRaw, readPort, type ServerProcess, startServer, until } from "../socket.fixture.ts";

const records = proofs.exportedRecords;
/** Megabytes by which the server may grow. */
const growthMax = 64;
const path = "/v1/funders/131635294/history.csv";

let root = "";
let server: ServerProcess;
let port = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "export-"));
  const warehouse = join(root, "warehouse");
  await mkdir(warehouse);
  const database = await openSmallDatabase();
  await database.connection.run(`
    COPY (
      SELECT i AS id, '131635294' AS funder_ein, 2000 + i % 20 AS transaction_year, 'School "' || i || '", Inc.' AS recipient_name,
        '200253310' AS recipient_ein, 'education' AS type, (i * 37 % 100_000 / 100)::DECIMAL(18,2) AS amount,
        NULL::DECIMAL(18,2) AS non_cash_amount, NULL::VARCHAR AS non_cash_description,
        repeat('general support of the arts ', 8) || i % 1000 AS purpose, TIMESTAMP '2026-11-20 04:00:00' AS created_at
      FROM range(${records}) t(i)
    ) TO '${join(warehouse, "large.parquet")}' (FORMAT parquet)`);
  close(database);
  await makeRelease(join(root, "data"), warehouse, new Date("2026-11-20T04:00:00Z"));
  server = startServer({ DATA: join(root, "data"), PORT: "0", EXPORT_SECONDS: "2" });
  port = await readPort(server);
}, 300_000);
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.ended;
  await rm(root, { recursive: true, force: true });
});

/** Begins to read and stops, until it is told to go on. */
function begin(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, agent: false }, (answer) => resolve(answer.pause())).on(
      "error",
      reject,
    );
  });
}

/** Rows that are sent: every one ends with CRLF, and no text has one. */
async function countRows(answer: AsyncIterable<Buffer>): Promise<number> {
  let rows = 0;
  for await (const chunk of answer) for (const byte of chunk) if (byte === 0x0a) rows += 1;
  return rows;
}

const residentMegabytes = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]) / 1024;

const isMemoryTold = existsSync("/proc/self/status");
if (!isMemoryTold) console.log("skipped: the memory of an export needs /proc");

describe.skipIf(!isMemoryTold)("a large export", () => {
  it.each([path, `${path}?min_amount=0`, "/v1/history.csv?purpose=support"])(
    `comes whole while the server grows by at most ${growthMax} MB: %s`,
    async (path) => {
      await askRaw(port, "/v1/history?purpose=support&limit=1000"); // what a search takes is there already
      const before = residentMegabytes();
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, residentMegabytes());
      }, 20);
      expect(await countRows(await begin(path))).toBe(records + 1);
      clearInterval(watch);
      expect(most - before).toBeLessThan(growthMax);
    },
    300_000,
  );

  it("does not stop others while its client stands still, and is cut off after the time that it may", async () => {
    const still = await Promise.all([path, `${path}?min_amount=0`, "/v1/history.csv"].map(begin));
    for (let asked = 0; asked < 10; asked++)
      expect((await askRaw(port, `/v1/history?purpose=support&limit=10&offset=${asked}`)).status).toBe(200);
    expect(await countRows(await begin(path))).toBe(records + 1);
    await until(() => (server.said().split("stopped in the middle").length === 4 ? true : undefined));
    for (const answer of still) await expect(countRows(answer)).rejects.toThrow(/aborted|ECONNRESET/);
  }, 300_000);
});
