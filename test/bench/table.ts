// Formats Markdown tables.

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

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
