// Formats records as CSV rows (RFC 4180), each value as it is written in the JSON.
import { type RecordField, recordFields } from "./record.ts";

export const csvType = "text/csv; charset=utf-8; header=present";

const rowEnd = "\r\n";

/** The first row: the names of the fields. */
export const csvHeader = recordFields.join(",") + rowEnd;

/** The fields with text as filed. */
const textFields: readonly RecordField[] = ["recipient_name", "type", "non_cash_description", "purpose"];

/** Numbers that JavaScript may not represent exactly. They cannot occur inside text, where quotes are escaped. */
const exactNumbers = /([{,]"(?:id|amount|non_cash_amount)":)(-?[\d.]+)/g;

/**
 * The row of a record. A null is an empty cell; every other value is written as in the JSON.
 * @param line a record's JSON without its line end
 * @param isEscapingFormulas true to put an apostrophe before text that a spreadsheet would run as a formula
 * @throws SyntaxError if the line is not JSON
 */
export function formatCsvRow(line: string, isEscapingFormulas: boolean): string {
  const record: Record<string, unknown> = JSON.parse(line.replace(exactNumbers, '$1"$2"'));
  const cells = recordFields.map((field) =>
    csvCell(String(record[field] ?? ""), isEscapingFormulas && textFields.includes(field)),
  );
  return cells.join(",") + rowEnd;
}

/** A cell, quoted if it must be. @param isEscapingFormulas as above */
export function csvCell(value: string, isEscapingFormulas: boolean): string {
  const text = isEscapingFormulas ? escapeFormula(value) : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run cells that start with these characters as formulas, full-width forms too (OWASP, "CSV Injection"). */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}
