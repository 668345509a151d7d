// Serves the public files of a data folder as a static host does, and follows it.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { main } from "../../../tools/follow/main.ts";

export type StaticHost = {
  readonly url: string;
  /** Answers a path with this text instead of its file. */
  readonly override: Map<string, string>;
  /** The paths that were requested. */
  readonly asked: string[];
  readonly close: () => void;
};

/** Serves `current/public` of a data folder: files as they are, and 404. */
export async function serveFiles(data: string): Promise<StaticHost> {
  const override = new Map<string, string>();
  const asked: string[] = [];
  const server = createServer(async ({ url = "" }, answer) => {
    asked.push(url);
    const text = override.get(url);
    if (text !== undefined) return void answer.end(text);
    const path = join(data, "current/public", url);
    if (!(await stat(path).catch(() => undefined))?.isFile()) return void answer.writeHead(404).end();
    await pipeline(createReadStream(path), answer).catch(() => undefined); // a follower was killed
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, override, asked, close: () => void server.close().closeAllConnections() };
}

/** Follows in this process. */
export async function followHere(from: string, into: string) {
  let [stdout, stderr] = ["", ""];
  const streams = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  };
  const code = await main({ FROM: from, INTO: into, MEMORY: "500MB", THREADS: "1" }, streams);
  return { code, stdout, stderr };
}

async function query(sql: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRows().map(String);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** What to compare of each record: all of its values, written by DuckDB. */
const values = `concat_ws('|', id, funder_ein, transaction_year, recipient_name, coalesce(recipient_ein, '-'), type, amount::DECIMAL(18,2),
  coalesce(purpose, '-'), epoch_ms(created_at::TIMESTAMPTZ))`;

export async function readCopy(into: string): Promise<string[]> {
  const read = (from: string) => `SELECT ${values} FROM ${from} ORDER BY id`;
  if (into.endsWith(".parquet")) return query(read(`'${into}'`));
  return query(`ATTACH '${into}' AS copy (READ_ONLY); ${read("copy.grants")}`);
}

/** The same of the records of a release. */
export function readRelease(folder: string): Promise<string[]> {
  const lines = `read_csv('${join(folder, "records")}', columns = {line: 'VARCHAR'}, delim = '\u0001', quote = '', header = false, auto_detect = false)`;
  return query(`SELECT ${values} FROM (SELECT unnest(from_json(line[:-2],
    '{"id":"BIGINT","funder_ein":"VARCHAR","transaction_year":"INT","recipient_name":"VARCHAR","recipient_ein":"VARCHAR",
    "type":"VARCHAR","amount":"DOUBLE","purpose":"VARCHAR","created_at":"TIMESTAMPTZ"}')) FROM ${lines}) ORDER BY id`);
}
