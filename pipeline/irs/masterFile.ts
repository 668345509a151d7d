// Reads the IRS's Business Master File line by line: CSV as the IRS publishes it, or as a spreadsheet saved it again.
import { createReadStream } from "node:fs";
import { InputError } from "../base/failure.ts";
import type { LineFile } from "./lineFile.ts";
import { repairUtf8 } from "./text.ts";

const requiredColumns = ["EIN", "NAME", "CITY", "STATE", "TAX_PERIOD"];

/** Columns of the rows that are read, with DuckDB's types. */
export const masterFileColumns = {
  ...{
    ein: "VARCHAR",
    name: "VARCHAR",
    city: "VARCHAR",
    state: "VARCHAR",
    zip: "VARCHAR",
    ntee_code: "VARCHAR",
  },
  ...{ subsection: "VARCHAR", ruling_year: "SMALLINT", sort_name: "VARCHAR", period: "VARCHAR" },
} as const;

/** A file that was read: its lines after the header, and those that were skipped by reason. */
export type ReadMasterFile = { lines: number; repaired: number; readonly skipped: Map<string, number> };

/** The fields of a row by column; absent columns and blank fields are "". */
type Fields = (column: string) => string;

/** Cuts the lines of a file into fields, as its header does. */
class LineReader {
  readonly delimiter: string;
  readonly #field: RegExp;
  readonly #columns: readonly string[];
  readonly #last: number;

  /** @throws InputError if the header lacks a column */
  constructor(path: string, header: string) {
    const counts = [",", ";", "\t", "|"].map((delimiter) => ({
      delimiter,
      count: header.split(delimiter).length,
    }));
    this.delimiter = counts.reduce((a, b) => (b.count > a.count ? b : a)).delimiter;
    // A quote that is never closed is a part of its field: otherwise, it would swallow the lines that follow.
    const one = `[${this.delimiter}]`;
    this.#field = new RegExp(`${one} *(?:"((?:[^"]|"")*)" *(?=${one}|$)|([^${this.delimiter}]*))`, "g");
    this.#columns = this.split(header).map((name) => name.toUpperCase());
    const missing = requiredColumns.filter((name) => !this.#columns.includes(name));
    this.#last = Math.max(...requiredColumns.map((name) => this.#columns.indexOf(name)));
    if (missing.length > 0)
      throw new InputError(
        `FROM: "${path}" is not a Business Master File: it has no column ${missing.join(", ")}; expected a CSV file such as eo1.csv`,
      );
  }

  split(line: string): string[] {
    if (!line.includes('"')) return line.split(this.delimiter).map((field) => field.trim());
    const found = `${this.delimiter}${line}`.matchAll(this.#field);
    return [...found].map(([, quoted, plain = ""]) => (quoted?.replaceAll('""', '"') ?? plain).trim());
  }

  /** The fields of a line, or why it is skipped. Spreadsheets omit blank fields at the end. */
  read(line: string): Fields | string {
    const fields = this.split(line);
    if (fields.length <= this.#last) return "with too few fields";
    if (fields.slice(this.#columns.length).some((field) => field !== ""))
      return "with more fields than the header";
    return (column) => fields[this.#columns.indexOf(column)] ?? "";
  }
}

/**
 * Reads a file, and writes each row as a line of JSON.
 * @throws InputError if it is not a Business Master File
 */
export async function readMasterFile(path: string, target: LineFile): Promise<ReadMasterFile> {
  const found: ReadMasterFile = { lines: 0, repaired: 0, skipped: new Map() };
  let reader: LineReader | undefined;
  for await (const block of readBlocks(path)) {
    const text = repairUtf8(block, reader?.delimiter ?? ",", () => {
      found.repaired += 1;
    });
    for (const line of text.split(/[\r\n]+/)) {
      if (line.trim() === "" || (reader === undefined && /^"?sep=/i.test(line))) continue; // spreadsheets name the delimiter
      if (reader === undefined) reader = new LineReader(path, line);
      else {
        found.lines += 1;
        const fields = reader.read(line);
        const row = typeof fields === "string" ? fields : toRow(fields);
        if (typeof row === "string") found.skipped.set(row, (found.skipped.get(row) ?? 0) + 1);
        else target.append(JSON.stringify(row));
      }
    }
  }
  if (reader === undefined) new LineReader(path, "");
  return found;
}

/** Maximum bytes of a line. */
const maxLineBytes = 1 << 20;

/** The bytes of a file as UTF-8, without a byte order mark, in blocks of whole lines. */
async function* readBlocks(path: string): AsyncGenerator<Buffer> {
  let left = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  let isStart = true;
  for await (const chunk of createReadStream(path, {
    highWaterMark: maxLineBytes,
  }) as AsyncIterable<Buffer>) {
    const mark = isStart ? chunk.toString("hex", 0, 3) : "";
    if (/^(fffe|feff)/.test(mark)) decoder = new TextDecoder(mark.startsWith("ff") ? "utf-16le" : "utf-16be");
    const bytes = decoder
      ? Buffer.from(decoder.decode(chunk, { stream: true }))
      : chunk.subarray(mark === "efbbbf" ? 3 : 0);
    isStart = false;
    const all = Buffer.concat([left, bytes]);
    const end = Math.max(all.lastIndexOf("\n"), all.lastIndexOf("\r")) + 1;
    left = all.subarray(end);
    if (left.length > maxLineBytes)
      throw new InputError(`FROM: "${path}" has a line of more than ${maxLineBytes} bytes`);
    yield all.subarray(0, end);
  }
  yield left;
}

/** A code without the decimals that a spreadsheet adds, and with the zeros at the start that it drops. */
const code = (text: string, digits: RegExp, length: number) => {
  const plain = text.replace(/^="?|"$|\.0*$/g, "");
  return digits.test(plain) ? plain.padStart(length, "0") : plain;
};

/**
 * The row of a line, or why it is skipped. The lowest EINs of the list start with five zeros. TAX_PERIOD is the end of the latest return's
 * period, e.g., "202312"; RULING is the month of the exemption, e.g., "199405", or "000000".
 */
function toRow(fields: Fields): Record<keyof typeof masterFileColumns, string | number | null> | string {
  const ein = code(fields("EIN").replace(/[-\s]/g, ""), /^\d{4,9}$/, 9);
  if (!/^\d{9}$/.test(ein) || ein === "000000000") return "without an EIN";
  const name = fields("NAME");
  if (name === "") return "without a name";
  const [ruling, period] = [fields("RULING"), fields("TAX_PERIOD")].map((text) => code(text, /^\d{6}$/, 6));
  const [, year, month] = /^([12]\d{3})(0[1-9]|1[0-2])$/.exec(period ?? "") ?? [];
  const rulingYear = /^\d{6}$/.test(ruling ?? "") ? Number(ruling?.slice(0, 4)) : 0;
  return {
    ...{ ein, name, city: fields("CITY"), state: fields("STATE"), zip: code(fields("ZIP"), /^\d{3,4}$/, 5) },
    ntee_code: fields("NTEE_CD") || null,
    subsection: code(fields("SUBSECTION"), /^\d$/, 2) || null,
    ruling_year: rulingYear || null,
    sort_name: fields("SORT_NAME") || null,
    period: year === undefined ? null : `${year}-${month}`,
  };
}
