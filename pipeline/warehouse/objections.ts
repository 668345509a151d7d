// Reads an operator's objections to likely recipients.
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { parseEin } from "../../api-static/contract/ein.ts";
import { hasLiteralPath, literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { rethrowNamed } from "../base/paths.ts";

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
 * Reads a CSV file with the columns `id`, `matched_ein` and `verdict`, such as `make matches` writes. A verdict is blank or `right`,
 * `wrong`, or the right EIN.
 * @throws InputError that names the file, the row and the value
 */
export async function readObjections(connection: DuckDBConnection, path: string): Promise<ObjectionsFile> {
  const setting = `OBJECTIONS "${path}"`;
  if (!hasLiteralPath(path))
    throw new InputError(`${setting}: the path contains both "\\" and one of * ? [; rename it`);
  const sha256 = hash("sha256", await readFile(path).catch(rethrowNamed(path)));
  const found = await connection
    .runAndReadAll(readSql, { path: literalPath(path) })
    .catch((error: unknown) => {
      const [problem] = String(error).split("\n");
      throw new InputError(`${setting}: it cannot be read as CSV: ${problem}`, { cause: error });
    });
  const names = found.columnNames().map((name) => name.toLowerCase());
  const missing = columns.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new InputError(
      `${setting}: there is no column ${missing.join(", ")}; expected ${columns.join(", ")}`,
    );
  const rows = found.getRows();
  if (rows.length > objectionsMax)
    throw new InputError(`${setting}: there are more than ${objectionsMax} rows`);
  const at = columns.map((name) => names.indexOf(name));
  const objections = rows.flatMap((row, index) => {
    const [id = "", matched = "", verdict = ""] = at.map((column) => String(row[column] ?? "").trim());
    return readRow({ id, matched, verdict }, `${setting}: row ${index + 2}`) ?? [];
  });
  return { sha256, objections };
}

const readSql = `FROM read_csv($path, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')
LIMIT ${objectionsMax + 1}`;

type Row = { readonly id: string; readonly matched: string; readonly verdict: string };

/** The objection of a row; undefined if there is none. */
function readRow({ id, matched, verdict }: Row, place: string): Objection | undefined {
  const word = verdict.toLowerCase();
  if (word === "" || word === "right") return undefined;
  const [wrong, right] = [parseEin(matched), parseEin(verdict)];
  const fault = !/^-?\d{1,19}$/.test(id)
    ? `id must be the id of a grant, but is "${id}"`
    : wrong === undefined
      ? `matched_ein must be an EIN of nine digits, but is "${matched}"`
      : right === undefined && word !== "wrong"
        ? `verdict must be right, wrong, or the right EIN, but is "${verdict}"`
        : undefined;
  if (fault !== undefined || wrong === undefined) throw new InputError(`${place}: ${fault}`);
  return { id, matched: Number(wrong), right: right === undefined ? undefined : Number(right) };
}
