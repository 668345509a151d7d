// Gives each test file a folder and a database, and writes intact and damaged Parquet files.
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { InputError } from "../../../pipeline/base/failure.ts";

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** A grant's columns in SQL. */
export const grant = {
  id: "1::BIGINT",
  funder_ein: "'131635294'",
  transaction_year: "2020",
  recipient_name: "'A School'",
  recipient_ein: "'200253310'",
  type: "'education'",
  amount: "50000::DECIMAL(18,2)",
  non_cash_amount: "NULL::DECIMAL(18,2)",
  non_cash_description: "NULL::VARCHAR",
  purpose: "'GENERAL SUPPORT'",
  created_at: "TIMESTAMP '2026-11-20 04:00:00'",
};

export function openSmallDatabase(): Promise<Database> {
  return openDatabase({ memory: "512MB", threads: 1, spillFolder: "" });
}

export function close({ connection, instance }: Database): void {
  connection.closeSync();
  instance.closeSync();
}

/** Gives each test an empty folder, `home`, which is removed after the file's last test. */
export function useFolder() {
  let root = "";
  let home = "";
  let homes = 0;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "warehouse-"));
    home = join(root, "before"); // files written before the first test are kept in the folder too
    await mkdir(home);
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  beforeEach(async () => {
    home = join(root, String(homes++));
    await mkdir(home);
  });
  return {
    get root(): string {
      return root;
    },
    get home(): string {
      return home;
    },
    /** The message of the InputError that the action throws, without the path of `home`. */
    async refusal(action: Promise<unknown>): Promise<string> {
      const error = await action.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(InputError);
      return error instanceof InputError ? error.message.replaceAll(home, "") : "";
    },
  };
}

/** Gives a test file a database and a function that writes Parquet into the test's folder. */
export function useParquet(folder: ReturnType<typeof useFolder>) {
  let database: Database | undefined;
  beforeAll(async () => {
    database = await openSmallDatabase();
  });
  afterAll(() => {
    if (database !== undefined) close(database);
  });
  function connection(): Database["connection"] {
    if (database === undefined)
      throw new Error("use the database in tests only: it opens before the first one");
    return database.connection;
  }
  return {
    connection,
    /** Writes a Parquet file of one grant with some columns changed, added, or (if "") omitted. */
    async put(name: string, changes: Record<string, string> = {}, clauses = ""): Promise<string> {
      const columns = Object.entries({ ...grant, ...changes }).filter(([, expression]) => expression !== "");
      const list = columns.map(([column, expression]) => `${expression} AS "${column}"`).join(", ");
      const written = join(folder.root, "written.parquet");
      await connection().run(`COPY (SELECT ${list} ${clauses}) TO '${written}' (FORMAT parquet)`);
      const path = resolve(folder.home, name); // an absolute path is not changed
      await mkdir(dirname(path), { recursive: true });
      await rename(written, path);
      return path;
    },
  };
}

/** Replaces all occurrences of some bytes in a Parquet file's footer. */
export async function patchFooter(path: string, from: string, to: string): Promise<void> {
  const file = await readFile(path);
  const start = file.length - 8 - file.readUInt32LE(file.length - 8);
  const footer = file.toString("latin1", start, file.length - 8);
  expect(footer).toContain(from);
  const patched = Buffer.from(footer.replaceAll(from, to), "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32LE(patched.length);
  await writeFile(path, Buffer.concat([file.subarray(0, start), patched, length, file.subarray(-4)]));
}

/** Overwrites the first bytes of a column's data in a Parquet file with ones that cannot be read. */
export async function damageColumn(
  connection: Database["connection"],
  path: string,
  column: string,
): Promise<void> {
  const read = await connection.runAndReadAll(
    "SELECT coalesce(dictionary_page_offset, data_page_offset)::INTEGER FROM parquet_metadata($path) WHERE path_in_schema = $column",
    { path, column },
  );
  const at = Number(read.getRows()[0]?.[0]);
  const bytes = await readFile(path);
  bytes.fill(0xee, at, at + 40);
  await writeFile(path, bytes);
}
