// Runs ClickHouse inside the measuring process: the npm package chdb, installed into the peer's folder while it loads. Its table and SQL are those
// of the server.
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { lineEnd } from "../../../api-static/contract/answers/envelope.ts";
import type { GrantRecord } from "../../../api-static/contract/answers/record.ts";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { clickhouseEngine, parseRows } from "../../../api-static/search/sql/clickhouse.ts";
import { findBySql } from "../../../api-static/search/sql/search.ts";
import {
  createTableSql,
  type SqlEngine,
  tableColumnNames,
  tableColumns,
} from "../../../api-static/search/sql/table.ts";
import { openDatabase, sqlText } from "../../../pipeline/base/database.ts";
import { readRows } from "../../../pipeline/delivery/load.ts";
import { type Answer, type PeerKind, Unavailable } from "./peer.ts";

const packageVersion = "3.4.0";
const table = "grants";

/** The part of chdb's session that we use. */
type Session = { query(sql: string, format?: string): string; close(): void };

const columns = [...tableColumnNames.map((name) => [name, tableColumns[name].type]), ["line", "String"]];

export const clickhouse: PeerKind = {
  title: "ClickHouse",
  arrangement: "the table of `make load`: one MergeTree in result order, text indexes of trigrams",
  findData: (_grants, folder) => join(folder, "data"),
  async load({ release }, folder) {
    await writeFile(join(folder, "package.json"), "{}");
    const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `chdb@${packageVersion}`];
    await promisify(execFile)("npm", install, { cwd: folder }).catch((error: Error) => {
      throw new Unavailable(`npm cannot install chdb ${packageVersion} (${error.message.split("\n")[0]})`);
    });
    const session = openSession(folder);
    session.query(createTableSql(table, true));
    const rows = join(folder, "rows.json");
    await writeRows(release, rows, folder);
    const structure = columns.map(([name, type]) => `${name} ${type}`).join(", ");
    session.query(
      `INSERT INTO ${table} SELECT * FROM file('${quote(rows)}', JSONEachRow, '${quote(structure)}')`,
    );
    session.query(`OPTIMIZE TABLE ${table} FINAL`);
    session.close();
    await rm(rows);
  },
  async open(_grants, folder) {
    const session = openSession(folder);
    const engine = clickhouseEngine(table, async (sql) => parseRows(session.query(sql, "TabSeparated")));
    return {
      version: `ClickHouse ${session.query("SELECT version()", "TSV").trim()} (chdb ${packageVersion})`,
      answer: (request) => answer(engine, request),
      async close() {
        session.close();
      },
    };
  },
};

/** Writes the rows that `make load` sends. */
async function writeRows(release: string, path: string, folder: string): Promise<void> {
  const bounds = { memory: "3GB", threads: 2, spillFolder: join(folder, "spill") };
  const { instance, connection } = await openDatabase(bounds);
  try {
    await connection.run(`ATTACH '${sqlText(join(release, parts.index))}' AS index (READ_ONLY)`);
    await writeFile(path, textOf(readRows(connection, release, 0, 1)));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function* textOf(blocks: AsyncIterable<{ readonly rows: string }>): AsyncGenerator<string> {
  for await (const { rows } of blocks) yield rows;
}

async function answer(engine: SqlEngine, { filters, limit, offset, sort }: HistoryRequest): Promise<Answer> {
  const window = { limit, offset, ...(sort && { sort }) };
  const { total, lines } = await findBySql(engine, filters, window, new AbortController().signal);
  const records = JSON.parse(`[${lines.toString().slice(0, -lineEnd.length)}]`) as GrantRecord[];
  return { total, ids: records.map(({ id }) => id) };
}

/** @throws Unavailable if the package's library does not run */
function openSession(folder: string): Session {
  try {
    const { Session } = createRequire(join(folder, "package.json"))("chdb");
    return new Session(join(folder, "data"));
  } catch (error) {
    throw new Unavailable(
      `chdb ${packageVersion} does not run here (${(error as Error).message.split("\n")[0]})`,
    );
  }
}

function quote(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
}
