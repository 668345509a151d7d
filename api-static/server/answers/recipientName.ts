// Reads the record at a position, and the name that it gives its recipient.
import type { DuckDBValue } from "@duckdb/node-api";
import { lineEnd } from "../../contract/envelope.ts";
import type { GrantRecord } from "../../contract/record.ts";
import type { Release } from "../../search/release.ts";

declare global {
  interface JSON {
    /** A number that is written as in the text (ECMAScript 2026). */
    rawJSON(text: string): unknown;
    /** Parses; the reviver also gets the text of each number (ECMAScript 2026). */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** The recipient's name as filed in the record at this position; null if there is no such record. */
export function readName(release: Release, position: DuckDBValue | undefined): string | null {
  if (position === undefined || position === null) return null;
  return readRecord(release, position).recipient_name;
}

/** The record at this position. Its numbers will be written with the same digits. */
export function readRecord({ records }: Release, position: DuckDBValue | undefined): GrantRecord {
  const line = records
    .readLines([Number(position)])
    .toString()
    .slice(0, -lineEnd.length);
  return JSON.parse(line, (_, value, { source }) =>
    typeof value === "number" ? JSON.rawJSON(String(source)) : value,
  ) as GrantRecord;
}
