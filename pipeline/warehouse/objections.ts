// Reads an operator's objections to likely recipients.
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { hasLiteralPath, literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { rethrowNamed } from "../base/paths.ts";
import { isSystemFailure } from "../base/systemFailures.ts";
import { einOfCell } from "./normalize.ts";

/** What an operator says of a match. It holds for all grants with the same name and place. */
export type Objection = {
  /** The id of a grant, in decimal. */
  readonly id: string;
  /** The matched EIN that is wrong. */
  readonly matched: number;
  /** The right EIN, if the operator knows it. */
  readonly right: number | undefined;
};

const columns = ["id", "matched_ein", "verdict"] as const;

/** More objections are refused: they are kept in memory. */
const objectionsMax = 100_000;

/** The objections of a file, and the SHA-256 of its bytes. */
export type ObjectionsFile = { readonly sha256: string; readonly objections: readonly Objection[] };

/**
 * Reads a CSV file with the columns `id`, `matched_ein` and `verdict`, such as `make matches` writes and spreadsheets save. A verdict is
 * blank or `right`, `wrong`, or the right EIN. EINs are read as the warehouse's, and get back leading zeros that a spreadsheet dropped.
 * @throws InputError that names the file, the row and the value
 */
export async function readObjections(connection: DuckDBConnection, path: string): Promise<ObjectionsFile> {
  const setting = `OBJECTIONS "${path}"`;
  if (!hasLiteralPath(path))
    throw new InputError(`${setting}: the path contains both "\\" and one of * ? [; rename it`);
  const bytes = await readFile(path).catch(rethrowNamed(path));
  const from = `read_csv($path, header = true, all_varchar = true, quote = '"', escape = '"', ${formOptions(bytes)})`;
  const read = (selected: string, limit: number) =>
    connection
      .runAndReadAll(`SELECT ${selected} FROM ${from} LIMIT ${limit}`, { path: literalPath(path) })
      .catch((error: unknown) => {
        if (isSystemFailure(error)) throw error;
        const [problem] = String(error).split("\n");
        throw new InputError(`${setting}: it cannot be read as CSV: ${problem}`, { cause: error });
      });
  const names = (await read("*", 0)).columnNames().map((name) => name.toLowerCase());
  const missing = columns.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new InputError(
      `${setting}: there is no column ${missing.join(", ")}; expected ${columns.join(", ")}`,
    );
  const eins = `${einOfCell("matched_ein")}, ${einOfCell("verdict")}`;
  const rows = (await read(`${columns.join(", ")}, ${eins}`, objectionsMax + 1)).getRows();
  if (rows.length > objectionsMax)
    throw new InputError(`${setting}: there are more than ${objectionsMax} rows`);
  const objections = rows.flatMap(([id, matched, verdict, wrong, right], index) => {
    const texts = [id, matched, verdict].map((text) => String(text ?? "").trim());
    return readRow(texts, [wrong, right], `${setting}: row ${index + 2}`) ?? [];
  });
  return { sha256: hash("sha256", bytes), objections };
}

/** How the file is written: Excel saves CSV with semicolons or tabs, and not in UTF-8. All that is read is ASCII. */
function formOptions(bytes: Buffer): string {
  const encoding = isUtf8(bytes) ? "utf-8" : bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16" : "latin-1";
  const [separator] = /[,;\t]/.exec(bytes.toString("latin1")) ?? [","];
  return `delim = '${separator}', encoding = '${encoding}'`;
}

/** The objection of a row; undefined if there is none. */
function readRow(
  [id = "", matched = "", verdict = ""]: readonly string[],
  [wrong, right]: readonly unknown[],
  place: string,
): Objection | undefined {
  const word = verdict.toLowerCase();
  if (word === "" || word === "right") return undefined;
  const fault = !/^-?\d{1,19}$/.test(id)
    ? `id must be the id of a grant, but is "${id}"`
    : wrong === null
      ? `matched_ein must be an EIN of nine digits, but is "${matched}"`
      : right === null && word !== "wrong"
        ? `verdict must be right, wrong, or the right EIN, but is "${verdict}"`
        : undefined;
  if (fault !== undefined) throw new InputError(`${place}: ${fault}`);
  return { id, matched: Number(wrong), right: right === null ? undefined : Number(right) };
}
