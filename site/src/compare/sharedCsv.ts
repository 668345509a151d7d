// Formats shared recipients as CSV (RFC 4180).
import { csvCell } from "../../../api-static/contract/csv.ts";
import type { SharedRecipient } from "./compared.ts";

/**
 * A row per recipient, and for each funder a column of dollars and one of grants. Text that a spreadsheet would run as a
 * formula gets an apostrophe.
 */
export function formatSharedCsv(
  shared: readonly SharedRecipient[],
  funders: readonly { readonly ein: string; readonly name: string }[],
): string {
  const head = [
    "recipient_ein",
    "recipient_name",
    ...funders.flatMap(({ ein }) => [`amount_${ein}`, `grants_${ein}`]),
  ];
  const rows = shared.map(({ ein, name, sums }) => [
    ein,
    name ?? "",
    ...funders.flatMap((_, index) => [
      sums[index]?.amount.toFixed(2) ?? "",
      String(sums[index]?.records ?? ""),
    ]),
  ]);
  return [head, ...rows].map((cells) => `${cells.map(formatCell).join(",")}\r\n`).join("");
}

/** Only the name is text as filed; amounts may begin with a minus sign. */
function formatCell(text: string, column: number): string {
  return csvCell(text, column === 1);
}
