// Formats the body of a page: the envelope around record lines.

export type Page = {
  /** Number of matching records on all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
};

/** Follows each record in the file `records`, and separates two records of a body. */
export const lineEnd = ",\n";

/** The text before the first record line. */
const head = Buffer.from('{"success":true,"data":[\n');

/** The whole body of a page without records. */
function emptyEnvelope(page: Page): string {
  return `{"success":true,"data":[],"total":${page.total},"limit":${page.limit},"offset":${page.offset}}\n`;
}

/** The three parts of a body: the text before the lines, the lines, and the text after them. */
export type BodyParts = readonly [head: Buffer, lines: Buffer, tail: Buffer];

/**
 * The three parts of a body with records: the text before the lines, the lines, and the text after them.
 * @param lines the page's record lines, each with its line end, as in the file `records`
 */
export function envelopeParts(page: Page, lines: Buffer): BodyParts {
  const tail = `\n],"total":${page.total},"limit":${page.limit},"offset":${page.offset}}\n`;
  return [head, lines.subarray(0, lines.length - lineEnd.length), Buffer.from(tail)];
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

/** The body of a page with or without records. `lines` is as in `envelopeParts`. */
export function formatEnvelope(page: Page, lines: Buffer): Buffer {
  return lines.length === 0 ? Buffer.from(emptyEnvelope(page)) : Buffer.concat(envelopeParts(page, lines));
}
