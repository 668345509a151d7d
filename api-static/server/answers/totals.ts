// Answers with the totals of a search, from a page file or by adding up its matches.
import { totalsKeyOf } from "../../contract/pageKeys.ts";
import type { TotalsRequest } from "../../contract/request.ts";
import { findFunderRow } from "../../release/layout.ts";
import { digestBody } from "../../release/pageFileFormat.ts";
import type { AdmitSearch } from "../../search/answer.ts";
import type { Release } from "../../search/release.ts";

export type TotalsAnswer = {
  readonly path: "file" | "search";
  /** The number of matches. */
  readonly total: number;
  readonly digest: string;
  readonly body: Buffer;
  readonly isGzipped: boolean;
};

/**
 * The totals; undefined if the request's path names a funder without records.
 * @param admit called before the matches are added up
 * @throws DamagedPage if the page file cannot be used
 */
export async function answerTotals(
  release: Release,
  request: TotalsRequest,
  admit: AdmitSearch,
): Promise<TotalsAnswer | undefined> {
  const key = totalsKeyOf(request);
  const page = key === undefined ? undefined : release.searches.get(key); // so that no path is made from a client's text
  const file = page && (await release.pageFiles.read(page.key));
  if (page === undefined || file === undefined) return computeTotals(release, request, admit);
  const { stored: body, digest } = file;
  return { path: "file", total: page.total, digest, body, isGzipped: true };
}

/** The same without page files. */
async function computeTotals(
  release: Release,
  { scope, filters }: TotalsRequest,
  admit: AdmitSearch,
): Promise<TotalsAnswer | undefined> {
  if (scope === "funder" && findFunderRow(release.funders, Number(filters.funderEin)) === undefined)
    return undefined;
  const { all, body } = await release.search.findTotals(filters, admit());
  return { path: "search", total: all.records, digest: digestBody(body), body, isGzipped: false };
}
