// Runs ClickHouse inside the measuring process: the npm package chdb, installed into the peer's folder while it loads.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { HistoryRequest } from "../../../api-static/contract/request.ts";
import { acceptedColumns, acceptedNames, answeredNames } from "./columns.ts";
import { type Answer, type PeerKind, Unavailable } from "./peer.ts";
import { type Dialect, formatWhere, likePattern } from "./where.ts";

const packageVersion = "3.4.0";

/** The part of chdb's session that we use. */
type Session = {
  query(sql: string, format?: string): string;
  queryBind(sql: string, values: Record<string, unknown>, format?: string): string;
  close(): void;
};

const types: Readonly<Record<string, string>> = {
  VARCHAR: "String",
  INTEGER: "Int32",
  SMALLINT: "Int16",
  BIGINT: "Int64",
};

/** Nullable columns. In the others, a missing text is empty and a missing recipient 0, which no filter matches. */
const nullable = ["recipient_name", "type", "non_cash_amount_cents", "non_cash_description", "purpose"];

const columnsSql = Object.entries(acceptedColumns)
  .map(([name, type]) => `${name} ${nullable.includes(name) ? `Nullable(${types[type]})` : types[type]}`)
  .join(", ");

const tableSql = `CREATE TABLE grants (${columnsSql},
  INDEX years transaction_year TYPE minmax,
  INDEX amounts amount_cents TYPE minmax,
  INDEX purpose_grams purpose_text TYPE text(tokenizer = ngrams(3)),
  INDEX name_grams recipient_name_text TYPE text(tokenizer = ngrams(3)),
  PROJECTION by_funder (SELECT * ORDER BY funder_ein, place),
  PROJECTION by_recipient (SELECT * ORDER BY recipient_ein, place)
) ENGINE = MergeTree ORDER BY place`;

const dialect: Dialect = {
  placeholder: (number) => `{v${number}:Int64}`,
  contains: (column, text, placeholder) => [
    `${column} LIKE ${placeholder.replace("Int64", "String")}`,
    likePattern(text),
  ],
};

export const clickhouse: PeerKind = {
  title: "ClickHouse",
  arrangement:
    "one MergeTree in result order, projections by funder and recipient, minmax of years and amounts, text indexes of trigrams",
  findData: (_grants, folder) => join(folder, "data"),
  async load(grants, folder) {
    await writeFile(join(folder, "package.json"), "{}");
    const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `chdb@${packageVersion}`];
    await promisify(execFile)("npm", install, { cwd: folder }).catch((error: Error) => {
      throw new Unavailable(`npm cannot install chdb ${packageVersion} (${error.message.split("\n")[0]})`);
    });
    const session = openSession(folder);
    session.query(tableSql);
    const selected = acceptedNames.map((name) =>
      nullable.includes(name)
        ? name
        : `ifNull(${name}, ${types[acceptedColumns[name]] === "String" ? "''" : 0})`,
    );
    session.query(
      `INSERT INTO grants SELECT ${selected.join(", ")} FROM file('${quote(grants.parquet)}', Parquet)`,
    );
    session.query("OPTIMIZE TABLE grants FINAL");
    session.close();
  },
  async open(_grants, folder) {
    const session = openSession(folder);
    return {
      version: `ClickHouse ${session.query("SELECT version()", "TSV").trim()} (chdb ${packageVersion})`,
      answer: async (request) => answer(session, request),
      async close() {
        session.close();
      },
    };
  },
};

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

const selectedSql = answeredNames
  .map((name) => (name === "recipient_ein" ? "nullIf(recipient_ein, 0)" : name))
  .join(", ");

function answer(session: Session, request: HistoryRequest): Answer {
  const { clause, values } = formatWhere(request.filters, dialect);
  const bound = Object.fromEntries(values.map((value, index) => [`v${index + 1}`, value]));
  const [[total = 0] = []] = readRows(
    session.queryBind(`SELECT count() FROM grants ${clause}`, bound, format),
  );
  if (request.offset >= Number(total)) return { total: Number(total), ids: [] };
  const rows = readRows(
    session.queryBind(
      `SELECT ${selectedSql} FROM grants ${clause} ORDER BY place LIMIT ${request.limit} OFFSET ${request.offset}
        SETTINGS output_format_json_quote_64bit_integers = 0`,
      bound,
      format,
    ),
  );
  return { total: Number(total), ids: rows.map(([id]) => Number(id)) };
}

const format = "JSONCompact";

function readRows(text: string): (string | number | null)[][] {
  return (JSON.parse(text) as { data: (string | number | null)[][] }).data;
}

function quote(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
}
