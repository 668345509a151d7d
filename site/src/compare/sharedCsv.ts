// Formats shared recipients as CSV (RFC 4180).
import { csvCell } from "../../../api-static/contract/csv.ts";
import type { SharedRecipients } from "../api/client.ts";

/**
 * A row per recipient, and for each funder a column of dollars and one of grants. Text that a spreadsheet would run as a
 * formula gets an apostrophe.
 */
export function formatSharedCsv(shared: SharedRecipients["data"], eins: readonly string[]): string {
  const head = [
    "recipient_ein",
    "recipient_name",
    ...eins.flatMap((ein) => [`amount_${ein}`, `grants_${ein}`]),
  ];
  const rows = shared.map(({ recipient_ein, recipient_name, funders }) => [
    recipient_ein,
    recipient_name ?? "",
    ...eins.flatMap((ein) => {
      const sum = funders.find(({ funder_ein }) => funder_ein === ein);
      return [sum?.amount.toFixed(2) ?? "", String(sum?.records ?? "")];
    }),
  ]);
  return [head, ...rows].map((cells) => `${cells.map(formatCell).join(",")}\r\n`).join("");
}

/** Only the name is text as filed; amounts may begin with a minus sign. */
function formatCell(text: string, column: number): string {
  return csvCell(text, column === 1);
}
