// Escapes paths for DuckDB's readers.

/** A path in which DuckDB reads no character as a pattern: each special character becomes a class of one character. */
export function literalPath(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}
