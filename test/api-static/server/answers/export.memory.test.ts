// Tests that a large export takes little memory, however slowly it is read, that other requests are answered meanwhile, and
// that a server cuts it off when it exits.
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { close, openSmallDatabase } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { inspectable, measureLiveMemory } from "../heap.fixture.ts";
import { makeRelease } from "../release.fixture.ts";
import { askRaw, readPort, type ServerProcess, startServer, until } from "../socket.fixture.ts";

const records = 50_000;
/** Megabytes that the server may hold of an export while its client does not read. */
const maxHeld = 16;
/** Repetitions of a phrase in each record, so that an export has more than 40 MB. */
const repetitions = Math.ceil(1_600_000 / records);
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
        repeat('general support of the arts ', ${repetitions}) || i % 1000 AS purpose, TIMESTAMP '2026-11-20 04:00:00' AS created_at
      FROM range(${records}) t(i)
    ) TO '${join(warehouse, "large.parquet")}' (FORMAT parquet)`);
  close(database);
  await makeRelease(join(root, "data"), warehouse, new Date("2026-11-20T04:00:00Z"));
  server = startServer({ DATA: join(root, "data"), PORT: "0", EXPORT_SECONDS: "4", ...inspectable });
  port = await readPort(server);
}, 300_000);
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.ended;
  await rm(root, { recursive: true, force: true });
});

/** Requests an export and does not read it yet. */
function begin(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, agent: false }, (answer) => resolve(answer.pause())).on(
      "error",
      reject,
    );
  });
}

/** Rows of an export: each ends with CRLF, and no text has one. `onStart` runs once, when so many bytes have been read. */
async function countRows(
  response: AsyncIterable<Buffer>,
  bytesBefore = Number.POSITIVE_INFINITY,
  onStart: () => Promise<void> = async () => undefined,
): Promise<number> {
  let [rows, bytes] = [0, 0];
  for await (const chunk of response) {
    if (bytes < bytesBefore && bytes + chunk.length >= bytesBefore) await onStart();
    bytes += chunk.length;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", end + 1)) rows += 1;
  }
  return rows;
}

async function measureMegabytes(): Promise<number> {
  const { objects, buffers } = await measureLiveMemory(server);
  return objects + buffers;
}

describe("a large export", () => {
  it.each([path, `${path}?min_amount=0`, "/v1/history.csv?purpose=support"])(
    `arrives complete, and the server never holds more than ${maxHeld} MB of it: %s`,
    async (path) => {
      await askRaw(port, "/v1/history?purpose=support&limit=1000"); // the first search allocates what every search uses
      const before = await measureMegabytes();
      let held = Number.NaN;
      const rows = await countRows(await begin(path), 1_000_000, async () => {
        held = (await measureMegabytes()) - before;
      });
      expect(rows).toBe(records + 1);
      expect(held).toBeLessThan(maxHeld);
    },
    300_000,
  );

  it("does not block other requests while its client does not read, and is cut off at its time limit", async () => {
    const still = await Promise.all([path, `${path}?min_amount=0`, "/v1/history.csv"].map(begin));
    for (let offset = 0; offset < 10; offset++)
      expect((await askRaw(port, `/v1/history?purpose=support&limit=10&offset=${offset}`)).status).toBe(200);
    expect(await countRows(await begin(path))).toBe(records + 1);
    await until(() => (server.output().split("export cut off").length === 4 ? true : undefined));
    for (const answer of still) await expect(countRows(answer)).rejects.toThrow(/aborted|ECONNRESET/);
  }, 300_000);

  it("is cut off with a reset when the server ends before it", async () => {
    const ending = startServer({ DATA: join(root, "data"), PORT: "0" });
    const socket = connect(await readPort(ending), "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
    await once(socket, "readable"); // it has started, and is not read
    ending.child.kill("SIGTERM");
    expect(await ending.ended).toBe(0);
    socket.resume();
    await expect(once(socket, "end")).rejects.toThrow("ECONNRESET");
  }, 60_000);
});
