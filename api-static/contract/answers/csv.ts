// Formats records and groups as CSV rows (RFC 4180), each value as it is written in the JSON, or as a spreadsheet needs it.
import { hyphenateEin } from "../ein.ts";
import { byAttribute } from "../filters/attributes.ts";
import type { GroupKey } from "../filters.ts";
import type { Match } from "./matches.ts";
import { recordFields } from "./record.ts";

export const csvType = "text/csv; charset=utf-8; header=present";

/** How rows are written. */
export type CsvForm = {
  /** True to put an apostrophe before text that a spreadsheet would run as a formula. */
  readonly isEscapingFormulas: boolean;
  /**
   * True for a file that Excel and LibreOffice open right. A byte order mark says that it is UTF-8. EINs get their hyphen, because
   * a spreadsheet reads nine digits as a number and drops leading zeros.
   */
  readonly isForExcel: boolean;
  /** True to add the names of funder and recipient from the list of organizations, where a row has their EINs. */
  readonly hasNames: boolean;
};

const rowEnd = "\r\n";
const byteOrderMark = "\uFEFF";

/** The fields of a group. */
export const groupFields: Readonly<Record<GroupKey, readonly string[]>> = {
  funder: ["funder_ein", "records", "amount"],
  recipient: ["recipient_ein", "recipient_name", "records", "amount"],
  year: ["transaction_year", "records", "amount"],
  ...byAttribute(({ group }) => [...Object.keys(group.fields), "records", "amount"]),
};

/** The fields with text as filed. */
export const textFields: readonly string[] = ["recipient_name", "type", "non_cash_description", "purpose"];

/** The fields with an EIN, and the column with the name of its organization. */
export const nameColumns = {
  funder_ein: "funder_name",
  recipient_ein: "recipient_organization_name",
} as const;
type EinField = keyof typeof nameColumns;
const isEinField = (field: string): field is EinField => field in nameColumns;

/** Numbers that JavaScript may not represent exactly. They cannot occur inside text, where quotes are escaped. */
const exactNumbers = /([{,]"(?:id|amount|non_cash_amount)":)(-?[\d.]+)/g;

/** The columns with likely recipients. */
export const matchColumns = ["matched_ein", "match_rule"] as const;

/** The cells of a grant in these columns: empty for grants without a match. */
export function matchCells(
  match: Pick<Match, (typeof matchColumns)[number]> | undefined,
  { isForExcel }: CsvForm,
): readonly string[] {
  if (match === undefined) return ["", ""];
  return [isForExcel ? hyphenateEin(match.matched_ein) : match.matched_ein, match.match_rule];
}

/** The first row: the names of the columns. @param fields of a record or a group @param more columns after them */
export function formatCsvHeader(
  { isForExcel, hasNames }: CsvForm,
  fields: readonly string[] = recordFields,
  more: readonly string[] = [],
): string {
  const names = hasNames ? fields.filter(isEinField).map((field) => nameColumns[field]) : [];
  return (isForExcel ? byteOrderMark : "") + [...fields, ...names, ...more].join(",") + rowEnd;
}

/**
 * The row of a record or a group. A null is an empty cell; every other value is written as in the JSON, except as `form` says.
 * @param line its JSON without its line end
 * @param findName returns an organization's name, or "" for an EIN that is not listed
 * @param more cells after them
 * @throws SyntaxError if the line is not JSON
 */
export function formatCsvRow(
  line: string,
  form: CsvForm,
  findName: (ein: string) => string,
  fields: readonly string[] = recordFields,
  more: readonly string[] = [],
): string {
  const record: Record<string, unknown> = JSON.parse(line.replace(exactNumbers, '$1"$2"'));
  const { isEscapingFormulas, isForExcel, hasNames } = form;
  const cell = (text: string, mayBeFormula: boolean) =>
    csvCell(text, isEscapingFormulas && mayBeFormula, isForExcel);
  const cells = fields.map((field) => {
    const value = String(record[field] ?? "");
    if (isForExcel && isEinField(field)) return hyphenateEin(value);
    return cell(value, textFields.includes(field));
  });
  if (hasNames) {
    for (const field of fields.filter(isEinField)) {
      const ein = record[field];
      cells.push(ein === null ? "" : cell(findName(String(ein)), true));
    }
  }
  return [...cells, ...more].join(",") + rowEnd;
}

/** Characters that a cell of Excel holds: it spreads a longer one over other rows. */
const excelCellMax = 32_767;
const cutMark = " [cut]";

/** Text as Excel can hold it: the start of a longer one, without half a character, and a mark. */
function cutCell(text: string): string {
  if (text.length <= excelCellMax) return text;
  return text.slice(0, excelCellMax - cutMark.length).replace(/[\uD800-\uDBFF]$/, "") + cutMark;
}

/** A cell, quoted if it must be. @param isEscapingFormulas and the next as above */
export function csvCell(value: string, isEscapingFormulas: boolean, isForExcel = false): string {
  const whole = isEscapingFormulas ? escapeFormula(value) : value;
  const text = isForExcel ? cutCell(whole) : whole;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run cells that start with these characters as formulas, full-width forms too (OWASP, "CSV Injection"). */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}
