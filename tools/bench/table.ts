// Formats tables as Markdown and as CSV.

/**
 * A Markdown table of numbers, aligned right.
 * @param texts how many of the first columns hold text, aligned left
 */
export function formatTable(
  head: readonly string[],
  lines: readonly (readonly string[])[],
  texts = 0,
): string {
  const rule = head.map((_, column) => (column < texts ? ":---" : "---:"));
  return [head, rule, ...lines].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");
}

/** A Markdown list of names and their values. */
export function formatList(lines: readonly (readonly string[])[]): string {
  return lines.map(([name, value]) => `- ${name}: ${value}`).join("\n");
}

/** A table as CSV. Numbers lose their thousands separators, so that programs can read them. */
export function formatCsv(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, ...lines].map((cells) => `${cells.map(quoteCell).join(",")}\n`).join("");
}

function quoteCell(text: string): string {
  const plain = /^[\d,.>† ]+$/.test(text) ? text.replaceAll(",", "") : text;
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
