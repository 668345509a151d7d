// Explains why DuckDB cannot read a Parquet file: what is wrong with it, and what to do.
import { isSystemFailure } from "../base/systemFailures.ts";
import { escapeControls } from "../base/table.ts";

/** By DuckDB's message without paths: what is wrong and what to do. The first match applies; any other file is damaged. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/utf-?8/i, "it has text that is not valid UTF-8"],
  [
    /compression codec "(\w*)"/i,
    "its compression $1 is not supported; write it with Zstandard, Snappy or Gzip",
  ],
  [/is encrypted/i, "it is encrypted; write it without encryption"],
  [
    /Timestamp\(MS\)|out of range in timestamp/i,
    "it has a time out of range; write times in microseconds, or null if a time is unknown",
  ],
  [
    /(page encoding|not implemented|unsupported|not supported).*/i,
    "it needs a feature that is not supported ($&); write it with plain or dictionary encoding",
  ],
];

/** What is wrong with a file, from the error that DuckDB gave when it read it. */
export function explainUnreadable(error: unknown): string {
  const message = escapeControls(firstLine(error));
  const text = message.replaceAll(/file ("[^"]*"|'[^']*')/gi, "file"); // a path may have any of the words
  for (const [pattern, explanation] of causes) {
    const [match] = pattern.exec(text) ?? [];
    if (match !== undefined) return match.replace(pattern, explanation);
  }
  return `the file is damaged (${message}); copy it again`;
}

/** True if reading the files failed because of their contents, not because of the statement or the machine. */
export function isReadFailure(error: unknown, paths: readonly string[]): boolean {
  if (isSystemFailure(error)) return false;
  const message = error instanceof Error ? error.message : "";
  if (/^(Conversion|Invalid|Invalid Input|Not implemented|Out of Range) Error/.test(message)) return true;
  return message.startsWith("IO Error") && paths.some((path) => message.includes(`"${path}"`));
}

export function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replace(/\n.*/s, "");
}
