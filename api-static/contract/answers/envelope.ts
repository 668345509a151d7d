// Formats the body of a page: the envelope around the lines of records or groups.
import { stringify } from "../text/amount.ts";

export type Page = {
  /** Number of matching records on all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
};

/** Follows each record in the file `records`, and separates two records of a body. */
export const lineEnd = ",\n";

/** A page of groups: `total` is the number of groups; `records` and `amount` (cents) are those of all matching grants. */
export type GroupsPage = Page & { readonly records: number; readonly amount: bigint };

// Marked as pure, because the site has this module without `Buffer`: its build then drops them.
const head = /* @__PURE__ */ Buffer.from('{"success":true,"data":[\n');
const emptyHead = /* @__PURE__ */ Buffer.from('{"success":true,"data":[');

export type BodyParts = readonly [head: Buffer, lines: Buffer, tail: Buffer];

/** Encloses lines, each with its line end, in the envelope. @param tail ends the list and the body */
function enclose(lines: Buffer, tail: string): BodyParts {
  if (lines.length === 0) return [emptyHead, lines, Buffer.from(tail)];
  return [head, lines.subarray(0, lines.length - lineEnd.length), Buffer.from(`\n${tail}`)];
}

/** The parts of a page's body. @param lines the page's record lines, each with its line end; empty if there are none */
export function envelopeParts({ total, limit, offset }: Page, lines: Buffer): BodyParts {
  return enclose(lines, `],"total":${total},"limit":${limit},"offset":${offset}}\n`);
}

/** The parts of the body of a list without pages. `lines` is as in `envelopeParts`. */
export function listParts(lines: Buffer): BodyParts {
  return enclose(lines, "]}\n");
}

/** The body of a list without pages. `lines` is as in `envelopeParts`. */
export function formatList(lines: Buffer): Buffer {
  return Buffer.concat(listParts(lines));
}

/** The body of a list without pages that has `total` entries in all. `lines` is as in `envelopeParts`. */
export function formatBest(total: number, lines: Buffer): Buffer {
  return Buffer.concat(enclose(lines, `],"total":${total}}\n`));
}

/** The body of a page. `lines` is as in `envelopeParts`. */
export function formatEnvelope(page: Page, lines: Buffer): Buffer {
  return Buffer.concat(envelopeParts(page, lines));
}

/** The body of a page with matches. `lines` is as in `envelopeParts`. @param matches their JSON, in the order of the page */
export function formatMatched(
  { total, limit, offset }: Page,
  lines: Buffer,
  matches: readonly string[],
): Buffer {
  const list = matches.length === 0 ? "" : `\n${matches.join(lineEnd)}\n`;
  const tail = `],"matches":[${list}],"total":${total},"limit":${limit},"offset":${offset}}\n`;
  return Buffer.concat(enclose(lines, tail));
}

/** The body of a page of groups. `lines` is as in `envelopeParts`. */
export function formatGroups({ total, records, amount, limit, offset }: GroupsPage, lines: Buffer): Buffer {
  const numbers = stringify({ total, records, amount, limit, offset }).slice(1);
  return Buffer.concat(enclose(lines, `],${numbers}\n`));
}
