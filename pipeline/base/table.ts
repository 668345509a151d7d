// Formats tables, shares and foreign text for the terminal.
import { formatCount } from "./progress.ts";

/** A number is a count. */
export type Cell = string | number | { readonly left: string };

/** The first column is aligned left, the others right unless a cell says `left`. */
export function formatTable(rows: readonly (readonly Cell[])[]): string[] {
  const text = (cell: Cell) => {
    if (typeof cell === "number") return formatCount(cell);
    return typeof cell === "string" ? cell : cell.left;
  };
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...rows.map((row) => text(row[index] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, index) => {
        const isLeft = index === 0 || typeof cell === "object";
        return isLeft ? text(cell).padEnd(widths[index] ?? 0) : text(cell).padStart(widths[index] ?? 0);
      })
      .join("  ")
      .trimEnd(),
  );
}

/** e.g., 0.1234 → "12.34 %"; a share above zero is never shown as 0.00. */
export function formatShare(share: number): string {
  return share > 0 && share < 0.00005 ? "< 0.01 %" : `${(share * 100).toFixed(2)} %`;
}

/** Shows invisible characters of text from the warehouse, e.g., "\ufeffid": they mislead a person, or control the terminal. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
