// Owns the text of a successful list: the envelope around record lines.

export type Page = {
  /** Records that match in all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
};

/** What follows each record in `records` and between two records of a body. */
export const lineEnd = ",\n";

/** Text before the first record line. */
export const envelopeHead = '{"success":true,"data":[\n';

/** Text after the last record line, whose `lineEnd` is left away. */
export function envelopeTail(page: Page): string {
  return `\n],"total":${page.total},"limit":${page.limit},"offset":${page.offset}}\n`;
}

/** The whole body of a page without records. */
export function emptyEnvelope(page: Page): string {
  return `{"success":true,"data":[],"total":${page.total},"limit":${page.limit},"offset":${page.offset}}\n`;
}

/**
 * The body of a page.
 * @param lines the page's record lines, each with its `lineEnd`, as they stand in `records`
 */
export function formatEnvelope(page: Page, lines: Buffer): Buffer {
  if (lines.length === 0) return Buffer.from(emptyEnvelope(page));
  return Buffer.concat([
    Buffer.from(envelopeHead),
    lines.subarray(0, lines.length - lineEnd.length),
    Buffer.from(envelopeTail(page)),
  ]);
}
