// Runs SQLite: one table in result order with B-trees, and an FTS5 index of trigrams.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { acceptedColumns, acceptedNames, answeredNames } from "./columns.ts";
import type { Answer, Grants, PeerKind } from "./peer.ts";
import { type Dialect, formatWhere, hasTrigram } from "./where.ts";

const fileName = "grants.sqlite";

const dialect: Dialect = {
  placeholder: (number) => `?${number}`,
  contains: (column, text, placeholder) =>
    hasTrigram(text)
      ? [
          `place IN (SELECT rowid FROM texts WHERE ${column} MATCH ${placeholder})`,
          `"${text.replaceAll('"', '""')}"`,
        ]
      : [`instr(${column}, ${placeholder}) > 0`, text],
};

const columnsSql = Object.entries(acceptedColumns)
  .map(
    ([name, type]) =>
      `${name} ${type === "VARCHAR" ? "TEXT" : "INTEGER"}${name === "place" ? " PRIMARY KEY" : ""}`,
  )
  .join(", ");

const indexesSql = `
CREATE INDEX by_funder ON grants (funder_ein, place);
CREATE INDEX by_recipient ON grants (recipient_ein, place);
CREATE INDEX by_year ON grants (transaction_year, place);
CREATE INDEX by_amount ON grants (amount_cents);
CREATE VIRTUAL TABLE texts USING fts5(purpose_text, recipient_name_text,
  content='grants', content_rowid='place', tokenize='trigram case_sensitive 1');
INSERT INTO texts(texts) VALUES ('rebuild');
INSERT INTO texts(texts) VALUES ('optimize');
ANALYZE;`;

export const sqlite: PeerKind = {
  title: "SQLite",
  arrangement:
    "one table in result order, B-trees of funder, recipient, year and amount, an FTS5 index of trigrams of both texts",
  findData: (_grants, folder) => join(folder, fileName),
  async load(grants, folder) {
    const database = open(folder);
    database.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE grants (${columnsSql});`,
    );
    await fill(database, grants);
    database.exec(indexesSql);
    database.close();
  },
  async open(_grants, folder) {
    const database = open(folder);
    const [{ version } = {}] = database.prepare("SELECT sqlite_version() AS version").all();
    return {
      version: `SQLite ${version}`,
      answer: async (request) => answer(database, request),
      async close() {
        database.close();
      },
    };
  },
};

function open(folder: string): DatabaseSync {
  const database = new DatabaseSync(join(folder, fileName));
  database.exec("PRAGMA cache_size = -1000000; PRAGMA mmap_size = 30000000000; PRAGMA temp_store = MEMORY;");
  return database;
}

/** Inserts the rows chunk by chunk, as DuckDB reads them. */
async function fill(database: DatabaseSync, grants: Grants): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rows = await connection.stream(
    `SELECT ${acceptedNames.join(", ")} FROM read_parquet($1) ORDER BY place`,
    [grants.parquet],
  );
  const insert = database.prepare(`INSERT INTO grants VALUES (${acceptedNames.map(() => "?").join(", ")})`);
  database.exec("BEGIN");
  for await (const chunk of rows) {
    for (const row of chunk.getRows()) insert.run(...(row as (string | number | bigint | null)[]));
  }
  database.exec("COMMIT");
  connection.closeSync();
  instance.closeSync();
}

function answer(database: DatabaseSync, request: HistoryRequest): Answer {
  const { clause, values } = formatWhere(request.filters, dialect);
  const [{ total } = {}] = database.prepare(`SELECT count(*) AS total FROM grants ${clause}`).all(...values);
  if (request.offset >= Number(total)) return { total: Number(total), ids: [] };
  const page = database.prepare(
    `SELECT ${answeredNames.join(", ")} FROM grants ${clause} ORDER BY place LIMIT ${request.limit} OFFSET ${request.offset}`,
  );
  return { total: Number(total), ids: page.all(...values).map(({ id }) => Number(id)) };
}
