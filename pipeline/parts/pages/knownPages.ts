// Finds the page files of an earlier release that a new one can link.
import { countFunderPages, type PageGroup, pagesOfGroup } from "../../../api-static/release/funderPages.ts";
import { funderRowBytes, pageRowBytes } from "../../../api-static/release/layout.ts";
import { compareFunders, findChange } from "../../releases/comparison.ts";
import type { FunderTables, ReleaseTables } from "../../releases/tables.ts";
import { turnOf } from "../../releases/turns.ts";

/** Parts of the funders, by the number of their row. The linked files of one are read each night. Small releases have fewer. */
const maxParts = 30;
const pagesOfPart = 5_000;

/** Page files of funders in an earlier release that a new one can link. */
export type KnownPages = {
  /** The earlier release's folder. */
  readonly folder: string;
  /** The table `pages` of that release. */
  readonly rows: Uint8Array;
  /** For each funder of the new release: the index of its first row in `rows`, or -1 if its pages must be cut. */
  readonly starts: Int32Array;
  /** The number of parts of the funders, and the part whose files are read. */
  readonly parts: number;
  readonly part: number;
};

/**
 * Finds the page files of an earlier release that a new release with these tables can link: those of funders with the same records.
 * @param release the new one
 */
export function planKnownPages(earlier: ReleaseTables, after: FunderTables, release: string): KnownPages {
  const count = after.funders.length / funderRowBytes;
  const starts = new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
  let next = 0;
  for (const step of compareFunders(after, earlier)) {
    const isSame = findChange(step) === "same";
    if (step.after !== undefined) starts[next++] = isSame ? (step.before?.firstPage ?? -1) : -1;
  }
  const pages = earlier.pages.length / pageRowBytes;
  const parts = Math.min(maxParts, Math.ceil(pages / pagesOfPart));
  return { folder: earlier.folder, rows: earlier.pages, starts, parts, part: turnOf(release, parts) };
}

/** The rows of a group's pages in the earlier release; undefined if its pages must be cut. */
export function findKnownRows({ rows, starts }: KnownPages, group: PageGroup): Uint8Array | undefined {
  const start = starts[group.funder] ?? -1;
  if (start < 0) return undefined;
  const first = start + countFunderPages(group.total, group.offset);
  return rows.subarray(first * pageRowBytes, (first + pagesOfGroup(group).length) * pageRowBytes);
}
