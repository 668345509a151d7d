// Owns the CSV of an export: a record line → a row, by RFC 4180, each value as it stands in the JSON.
import { type RecordField, recordFields } from "./record.ts";

export const csvType = "text/csv; charset=utf-8; header=present";

const rowEnd = "\r\n";

/** The first row: the names of the fields. */
export const csvHeader = recordFields.join(",") + rowEnd;

/** A record whose exact numbers are text. */
type CsvValues = Readonly<Record<RecordField, string | number | null>>;

/** The fields that hold text as it was filed. */
const textFields: ReadonlySet<RecordField> = new Set([
  "recipient_name",
  "type",
  "non_cash_description",
  "purpose",
]);

/** The numbers that JavaScript may not hold as they are written. A quotation mark inside a text has a backslash before it. */
const exactNumbers = /([{,]"(?:id|amount|non_cash_amount)":)(-?[\d.]+)/g;

/**
 * The row of a record: nulls are empty, all else is what the JSON says.
 * @param line a record's JSON without its line end
 * @param isEscapingFormulas true to put an apostrophe before text that spreadsheets take for a formula
 * @throws SyntaxError when the line is no JSON
 */
export function formatCsvRow(line: string, isEscapingFormulas: boolean): string {
  const record = JSON.parse(line.replace(exactNumbers, '$1"$2"')) as CsvValues;
  const cells = recordFields.map((field) => {
    const text = String(record[field] ?? "");
    return quote(isEscapingFormulas && textFields.has(field) ? escapeFormula(text) : text);
  });
  return cells.join(",") + rowEnd;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets read a cell that begins so as a formula (OWASP, "CSV Injection"), in full width too. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}
