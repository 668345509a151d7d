// Reads the IRS's Business Master File line by line: CSV as the IRS publishes it, or as a spreadsheet saved it again.
import { createReadStream } from "node:fs";
import { InputError } from "../base/failure.ts";
import type { LineFile } from "./lineFile.ts";
import { repairUtf8 } from "./text.ts";

const requiredColumns = ["EIN", "NAME", "CITY", "STATE", "TAX_PERIOD"];

/** Maximum bytes of a line. */
const maxLineBytes = 1 << 20;

/**
 * Reads a file, and writes each row as a line of JSON.
 * @param count called with what became of each row, and with each repair
 * @throws InputError if it is not a Business Master File
 */
export async function readMasterFile(
  path: string,
  target: LineFile,
  count: (what: string) => void,
): Promise<void> {
  let [delimiter, columns] = [",", [] as string[]];
  for await (const block of readBlocks(path)) {
    const text = repairUtf8(block, delimiter, () => count("values that are not UTF-8, read as Windows-1252"));
    for (const line of text.split(/[\r\n]+/)) {
      if (line.trim() === "") continue;
      if (columns.length > 0) {
        const row = toRow(splitLine(line, delimiter), columns);
        if (typeof row === "object") target.append(JSON.stringify(row));
        count(typeof row === "object" ? "rows read" : `skipped ${row}`);
      } else if (!/^"?sep=/i.test(line)) {
        const widths = [",", ";", "\t", "|"].map((one) => ({ one, width: line.split(one).length }));
        delimiter = widths.reduce((a, b) => (b.width > a.width ? b : a)).one;
        columns = readHeader(path, splitLine(line, delimiter));
      }
    }
  }
  if (columns.length === 0) readHeader(path, []);
}

function readHeader(path: string, fields: readonly string[]): string[] {
  const columns = fields.map((name) => name.toUpperCase());
  const missing = requiredColumns.filter((name) => !columns.includes(name));
  if (missing.length === 0) return columns;
  throw new InputError(
    `FROM: "${path}" is not a Business Master File: it has no column ${missing.join(", ")}; expected a CSV file such as eo1.csv`,
  );
}

/** The bytes of a file as UTF-8, without a byte order mark, in blocks of whole lines. */
async function* readBlocks(path: string): AsyncGenerator<Buffer> {
  let left = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  let mark: string | undefined;
  for await (const chunk of createReadStream(path, {
    highWaterMark: maxLineBytes,
  }) as AsyncIterable<Buffer>) {
    if (mark === undefined) {
      mark = chunk.toString("hex", 0, 2);
      if (/^(fffe|feff)$/.test(mark)) decoder = new TextDecoder(mark === "fffe" ? "utf-16le" : "utf-16be");
    }
    const all = Buffer.concat([left, decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk]);
    const end = Math.max(all.lastIndexOf("\n"), all.lastIndexOf("\r")) + 1;
    left = all.subarray(end);
    if (left.length > maxLineBytes)
      throw new InputError(`FROM: "${path}" has a line of more than ${maxLineBytes} bytes`);
    yield all.subarray(0, end);
  }
  yield left;
}

/** The fields of a line. A quote that is never closed is a part of its field: else, it would swallow the lines that follow. */
function splitLine(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter).map((field) => field.trim()); // also trims a byte order mark
  const field = new RegExp(
    `[${delimiter}][ \\uFEFF]*(?:"((?:[^"]|"")*)" *(?=[${delimiter}]|$)|([^${delimiter}]*))`,
    "g",
  );
  return [...`${delimiter}${line}`.matchAll(field)].map(([, quoted, plain = ""]) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
}

/** A code without the decimals that a spreadsheet adds, and with the zeros at the start that it drops. */
function code(text: string, digits: RegExp, length: number): string {
  const plain = text.replace(/^="?|"$|\.0*$/g, "");
  return digits.test(plain) ? plain.padStart(length, "0") : plain;
}

/**
 * The row of a line, or why it is skipped. The lowest EINs of the list start with five zeros. TAX_PERIOD is the end of the latest
 * return's period, e.g., "202312"; RULING is the month of the exemption, e.g., "199405", or "000000"; GROUP is the number of a group exemption, or
 * "0000".
 */
function toRow(fields: readonly string[], columns: readonly string[]): object | string {
  // Spreadsheets omit blank fields at the end.
  if (requiredColumns.some((name) => columns.indexOf(name) >= fields.length)) return "with too few fields";
  if (fields.slice(columns.length).some((field) => field !== "")) return "with more fields than the header";
  const read = (column: string) => fields[columns.indexOf(column)] ?? "";
  const ein = code(read("EIN").replace(/[-\s]/g, ""), /^\d{4,9}$/, 9);
  if (!/^\d{9}$/.test(ein) || ein === "000000000") return "without an EIN";
  if (read("NAME") === "") return "without a name";
  const [, year, month] = /^([12]\d{3})(0[1-9]|1[0-2])$/.exec(code(read("TAX_PERIOD"), /^$/, 0)) ?? [];
  const [, ruling] = /^(\d{4})\d\d$/.exec(code(read("RULING"), /^$/, 0)) ?? [];
  return {
    ein,
    name: read("NAME"),
    city: read("CITY"),
    state: read("STATE"),
    zip: code(read("ZIP"), /^\d{3,4}$/, 5),
    ntee_code: read("NTEE_CD") || null,
    subsection: code(read("SUBSECTION"), /^\d$/, 2) || null,
    ruling_year: Number(ruling ?? 0) || null,
    sort_name: read("SORT_NAME") || null,
    affiliation: /^\d$/.exec(code(read("AFFILIATION"), /^$/, 0))?.[0] ?? null,
    group_number: /^(?!0000)\d{4}$/.exec(code(read("GROUP"), /^\d{1,4}$/, 4))?.[0] ?? null,
    period: year === undefined ? null : `${year}-${month}`,
  };
}
