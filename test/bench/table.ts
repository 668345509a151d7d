// Owns the form of the benchmarks' tables.

/**
 * A Markdown table of figures, which end on the right.
 * @param texts how many of the first columns hold words, which begin on the left
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
