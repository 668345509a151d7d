// Formats the body of a page: the envelope around record lines.

export type Page = {
  /** Number of matching records on all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
};

/** Follows each record in the file `records`, and separates two records of a body. */
export const lineEnd = ",\n";

/** The text before the first record line, and the one before the end of a page without records. */
const head = Buffer.from('{"success":true,"data":[\n');
const emptyHead = Buffer.from('{"success":true,"data":[');

/** The three parts of a body: the text before the lines, the lines, and the text after them. */
export type BodyParts = readonly [head: Buffer, lines: Buffer, tail: Buffer];

/**
 * The parts of the body of a page.
 * @param lines the page's record lines, each with its line end, as in the file `records`; empty if it has none
 */
export function envelopeParts(page: Page, lines: Buffer): BodyParts {
  const tail = `],"total":${page.total},"limit":${page.limit},"offset":${page.offset}}\n`;
  if (lines.length === 0) return [emptyHead, lines, Buffer.from(tail)];
  return [head, lines.subarray(0, lines.length - lineEnd.length), Buffer.from(`\n${tail}`)];
}

/** The body of an empty list that has no pages. */
const emptyList = Buffer.from('{"success":true,"data":[]}\n');

/** The three parts of the body of a list that has no pages. `lines` is as in `envelopeParts`. */
export function listParts(lines: Buffer): BodyParts {
  return [head, lines.subarray(0, lines.length - lineEnd.length), Buffer.from("\n]}\n")];
}

/** The body of a list that has no pages, with or without lines. `lines` is as in `envelopeParts`. */
export function formatList(lines: Buffer): Buffer {
  return lines.length === 0 ? emptyList : Buffer.concat(listParts(lines));
}

/** The body of a page. `lines` is as in `envelopeParts`. */
export function formatEnvelope(page: Page, lines: Buffer): Buffer {
  return Buffer.concat(envelopeParts(page, lines));
}
