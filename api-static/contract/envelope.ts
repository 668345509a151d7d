// Formats the body of a page: the envelope around record lines.

export type Page = {
  /** Number of matching records on all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
};

/** Follows each record in the file `records`, and separates two records of a body. */
export const lineEnd = ",\n";

const head = Buffer.from('{"success":true,"data":[\n');
const emptyHead = Buffer.from('{"success":true,"data":[');

export type BodyParts = readonly [head: Buffer, lines: Buffer, tail: Buffer];

/** The parts of a page's body. @param lines the page's record lines, each with its line end; empty if there are none */
export function envelopeParts(page: Page, lines: Buffer): BodyParts {
  const tail = `],"total":${page.total},"limit":${page.limit},"offset":${page.offset}}\n`;
  if (lines.length === 0) return [emptyHead, lines, Buffer.from(tail)];
  return [head, lines.subarray(0, lines.length - lineEnd.length), Buffer.from(`\n${tail}`)];
}

/** The parts of the body of a list without pages. `lines` is as in `envelopeParts`, but not empty. */
export function listParts(lines: Buffer): BodyParts {
  return [head, lines.subarray(0, lines.length - lineEnd.length), Buffer.from("\n]}\n")];
}

/** The body of a list without pages. `lines` is as in `envelopeParts`. */
export function formatList(lines: Buffer): Buffer {
  return lines.length === 0 ? Buffer.from('{"success":true,"data":[]}\n') : Buffer.concat(listParts(lines));
}

/** The body of a page. `lines` is as in `envelopeParts`. */
export function formatEnvelope(page: Page, lines: Buffer): Buffer {
  return Buffer.concat(envelopeParts(page, lines));
}
