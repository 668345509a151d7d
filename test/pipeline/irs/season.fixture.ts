// Makes zips of returns with everything that a season of filings has, and reads the files of an import.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect } from "vitest";
import { runCommand } from "../release.fixture.ts";
import { dressReturn, formatReturn, type MadeReturn, plainReturn } from "./returns.fixture.ts";
import { formatZip, type ZipEntry, type ZipOptions } from "./zips.fixture.ts";

/** An OBJECT_ID of a 990 received on a day of 2023. */
export const objectId = (day: number, sequence: number, form = 3) =>
  `20230${String(day).padStart(3, "0")}9349${form}${String(sequence).padStart(5, "0")}`;

export const memberName = (id: string, folder = "") => `${folder}${id}_public.xml`;

/** A member with a return, which differs from the plain one as given. */
export function member(
  id: string,
  changes: Partial<MadeReturn> = {},
  options: Partial<ZipEntry> = {},
): ZipEntry {
  return {
    name: memberName(id),
    content: dressReturn(formatReturn({ ...plainReturn, ...changes }), "plain"),
    ...options,
  };
}

export const grantOf = (line1: string, amount: string) => ({ kind: "organizations" as const, line1, amount });

export function putZip(
  folder: string,
  name: string,
  entries: readonly ZipEntry[],
  options: ZipOptions = {},
): string {
  const path = join(folder, name);
  writeFileSync(path, formatZip(entries, options));
  return path;
}

/** Runs `make warehouse` in this process. */
export async function importHere(
  from: string,
  out: string,
  environment: Readonly<Record<string, string>> = {},
) {
  return runCommand(["warehouse"], { FROM: from, OUT: out, ...environment });
}

/** Runs `make warehouse` and expects it to succeed. */
export async function importWell(
  from: string,
  out: string,
  environment: Readonly<Record<string, string>> = {},
) {
  const ended = await importHere(from, out, environment);
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
}

/** The rows of a query over Parquet, as JSON. */
export async function query(sql: string, path: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const found = await connection.runAndReadAll(sql, { path });
    return found.getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Name, amount and year of every grant in the warehouse, in order of id. */
export async function readGrants(out: string): Promise<string[]> {
  const rows = await query(
    "SELECT concat_ws(' ', recipient_name, amount, transaction_year) AS text FROM read_parquet($path) ORDER BY id",
    join(out, "grants-*.parquet"),
  );
  return rows.map(({ text }) => String(text));
}

/** The status of every return by its file. */
export async function readStatuses(out: string): Promise<Record<string, string>> {
  const rows = await query(
    "SELECT regexp_extract(file, '[^/]*$') AS file, string_agg(status, ' + ' ORDER BY status) AS status FROM read_parquet($path) GROUP BY 1",
    join(`${out}.irs`, "returns.parquet"),
  );
  return Object.fromEntries(rows.map(({ file, status }) => [String(file), String(status)]));
}
