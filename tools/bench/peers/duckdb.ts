// Runs DuckDB inside the measuring process: SQL directly on Parquet.
import duckdb, { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { answeredNames } from "./columns.ts";
import type { Answer, PeerKind } from "./peer.ts";
import { type Dialect, formatWhere } from "./where.ts";

const dialect: Dialect = {
  placeholder: (number) => `$${number}`,
  contains: (column, text, placeholder) => [`contains(${column}, ${placeholder})`, text],
};

export const duckdbOnParquet: PeerKind = {
  title: "DuckDB",
  arrangement: "one Parquet file in result order, read directly",
  findData: ({ parquet }) => parquet,
  async load() {},
  async open(grants) {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const path = grants.parquet.replaceAll("'", "''");
    await connection.run(`CREATE VIEW grants AS SELECT * FROM read_parquet('${path}')`);
    return {
      version: `DuckDB ${duckdb.version()} on Parquet`,
      answer: (request) => answer(connection, request),
      async close() {
        connection.closeSync();
        instance.closeSync();
      },
    };
  },
};

async function answer(connection: DuckDBConnection, request: HistoryRequest): Promise<Answer> {
  const { limit, offset } = request;
  const { clause, values } = formatWhere(request.filters, dialect);
  const bound = Object.fromEntries(values.map((value, index) => [String(index + 1), value as DuckDBValue]));
  const counted = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM grants ${clause}`, bound);
  const total = Number(counted.getRows()[0]?.[0]);
  if (offset >= total) return { total, ids: [] };
  const page = await connection.runAndReadAll(
    `SELECT ${answeredNames.join(", ")} FROM grants ${clause} ORDER BY place LIMIT ${limit} OFFSET ${offset}`,
    bound,
  );
  return { total, ids: page.getRows().map(([id]) => Number(id)) };
}
