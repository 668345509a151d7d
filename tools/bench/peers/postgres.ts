// Runs PostgreSQL: a private server on a socket in its folder, with B-trees and GIN indexes of trigrams.
import { execFile } from "node:child_process";
import { chmod, chown, glob, mkdir, rm } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import postgres from "postgres";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { acceptedColumns, acceptedNames, answeredNames } from "./columns.ts";
import { type Answer, type Grants, type PeerKind, Unavailable } from "./peer.ts";
import { type Dialect, formatWhere, hasTrigram, likePattern } from "./where.ts";

const run = promisify(execFile);

/** Rows per intermediate text file. */
const rowsAtOnce = 1_000_000;

const dialect: Dialect = {
  placeholder: (number) => `$${number}`,
  // LIKE without a trigram may read the whole index, ten times slower than the whole table.
  contains: (column, text, placeholder) =>
    hasTrigram(text)
      ? [`${column} LIKE ${placeholder}`, likePattern(text)]
      : [`strpos(${column}, ${placeholder}) > 0`, text],
};

const types: Readonly<Record<string, string>> = { VARCHAR: "text" };
const columnsSql = Object.entries(acceptedColumns)
  .map(([name, type]) => `${name} ${types[type] ?? type}${name === "place" ? " PRIMARY KEY" : ""}`)
  .join(", ");

const indexesSql = [
  "CREATE INDEX ON grants (funder_ein, place)",
  "CREATE INDEX ON grants (recipient_ein, place)",
  "CREATE INDEX ON grants (transaction_year, place)",
  "CREATE INDEX ON grants (amount_cents)",
  "CREATE INDEX ON grants USING gin (purpose_text gin_trgm_ops)",
  "CREATE INDEX ON grants USING gin (recipient_name_text gin_trgm_ops)",
  "VACUUM ANALYZE grants",
];

export const postgresql: PeerKind = {
  title: "PostgreSQL",
  arrangement:
    "one table in result order, B-trees of funder, recipient, year and amount, GIN indexes of trigrams (`pg_trgm`) of both texts",
  findData: (_grants, folder) => join(folder, "cluster"),
  async load(grants, folder) {
    const programs = await findPrograms();
    const owner = await findOwner();
    const cluster = join(folder, "cluster");
    await mkdir(cluster);
    await chown(folder, owner.uid, owner.gid);
    await chown(cluster, owner.uid, owner.gid);
    await run(
      join(programs, "initdb"),
      ["-D", cluster, "-U", "bench", "-N", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"],
      { ...owner, cwd: folder },
    );
    await start(folder);
    try {
      await fillCluster(grants, folder);
    } finally {
      await control(folder, ["stop", "-m", "fast"]);
    }
  },
  async open(_grants, folder) {
    await start(folder);
    const sql = connect(folder);
    const [row] = await sql.unsafe("SHOW server_version");
    return {
      version: `PostgreSQL ${String(row?.server_version).split(" ")[0]}`,
      answer: (request) => answer(sql, request),
      async close() {
        await sql.end();
        await control(folder, ["stop", "-m", "immediate"]);
      },
    };
  },
};

/** The table and its indexes. */
async function fillCluster(grants: Grants, folder: string): Promise<void> {
  const sql = connect(folder);
  await sql.unsafe("CREATE EXTENSION pg_trgm").catch((error: Error) => {
    throw new Unavailable(`PostgreSQL's extension pg_trgm is not installed (${error.message})`);
  });
  // COPY skips the write-ahead log in the transaction that creates the table.
  await sql.begin(async (transaction) => {
    await transaction.unsafe(`CREATE TABLE grants (${columnsSql})`);
    await copyRows(transaction, grants, folder);
  });
  for (const statement of indexesSql) await sql.unsafe(statement);
  await sql.end();
}

function connect(folder: string): postgres.Sql {
  // Plan each statement with its values: a generic plan could not use the trigrams.
  return postgres({
    host: folder,
    username: "bench",
    database: "postgres",
    max: 1,
    prepare: false,
    onnotice() {},
  });
}

/** Starts the server if it is not running. */
async function start(folder: string): Promise<void> {
  const isRunning = await control(folder, ["status"]).then(
    () => true,
    () => false,
  );
  if (isRunning) return;
  const megabytes = Math.round(totalmem() / 2 ** 20);
  const settings = {
    listen_addresses: "",
    unix_socket_directories: folder,
    shared_buffers: `${Math.min(4_096, Math.round(megabytes / 6))}MB`,
    effective_cache_size: `${Math.round(megabytes / 2)}MB`,
    maintenance_work_mem: "1GB",
    work_mem: "256MB",
    random_page_cost: "1.1",
    wal_level: "minimal",
    max_wal_senders: "0",
    max_wal_size: "2GB",
    fsync: "off", // everything is removed at the end
    client_connection_check_interval: "500ms", // an aborted request ends here too
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  await control(folder, ["start", "-w", "-l", join(folder, "cluster", "log"), "-o", options.join(" ")]);
}

async function control(folder: string, words: readonly string[]): Promise<void> {
  const program = join(await findPrograms(), "pg_ctl");
  await run(program, ["-D", join(folder, "cluster"), ...words], { ...(await findOwner()), cwd: folder });
}

/** Folder of PostgreSQL's programs: Debian's newest version, or that of pg_config on the PATH. */
async function findPrograms(): Promise<string> {
  const found: string[] = [];
  for await (const path of glob("/usr/lib/postgresql/*/bin/initdb")) found.push(path);
  const newest = found.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
  if (newest !== undefined) return join(newest, "..");
  const configured = await run("pg_config", ["--bindir"]).catch(() => undefined);
  if (configured === undefined)
    throw new Unavailable("PostgreSQL is not installed (Debian: apt-get install postgresql)");
  return configured.stdout.trim();
}

/** PostgreSQL refuses to run as root; it then runs as the user of Debian's package. */
async function findOwner(): Promise<{ uid: number; gid: number }> {
  const uid = process.getuid?.() ?? -1;
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? -1 };
  const [user, group] = await Promise.all(
    ["-u", "-g"].map((flag) => run("id", [flag, "postgres"]).then(({ stdout }) => Number(stdout))),
  ).catch(() => {
    throw new Unavailable("PostgreSQL refuses to run as root, and there is no user postgres");
  });
  return { uid: user ?? -1, gid: group ?? -1 };
}

/** Copies through text files, which are removed as they are read. NUL, which PostgreSQL cannot store, becomes U+FFFD. */
async function copyRows(sql: postgres.TransactionSql, grants: Grants, folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const selected = Object.entries(acceptedColumns).map(([name, type]) =>
    type === "VARCHAR" ? `replace(${name}, chr(0), '\uFFFD')` : name,
  );
  const file = join(folder, "rows.csv");
  for (let from = 0; from < grants.rows; from += rowsAtOnce) {
    await connection.run(
      `COPY (SELECT ${selected.join(", ")} FROM read_parquet('${grants.parquet.replaceAll("'", "''")}')
        WHERE place >= ${from} AND place < ${from + rowsAtOnce} ORDER BY place)
       TO '${file.replaceAll("'", "''")}' (FORMAT csv, HEADER false)`,
    );
    await chmod(file, 0o644);
    await sql.unsafe(
      `COPY grants (${acceptedNames.join(", ")}) FROM '${file.replaceAll("'", "''")}' (FORMAT csv)`,
    );
    await rm(file);
  }
  connection.closeSync();
  instance.closeSync();
}

async function answer(sql: postgres.Sql, request: HistoryRequest): Promise<Answer> {
  const { clause, values } = formatWhere(request.filters, dialect);
  const [counted] = await sql.unsafe(`SELECT count(*) AS total FROM grants ${clause}`, [...values]);
  const total = Number(counted?.total);
  if (request.offset >= total) return { total, ids: [] };
  const page = await sql.unsafe(
    `SELECT ${answeredNames.join(", ")} FROM grants ${clause} ORDER BY place LIMIT ${request.limit} OFFSET ${request.offset}`,
    [...values],
  );
  return { total, ids: page.map((row) => Number(row.id)) };
}
