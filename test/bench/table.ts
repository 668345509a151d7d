// Owns the form of the benchmarks' tables.

/** A Markdown table whose columns end on the right. */
export function formatTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---:"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
