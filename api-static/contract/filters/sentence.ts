// Describes all filters of a search in words: for headings and titles of pages, feeds, and previews of links.
import type { KnownNames, Query } from "../searchText.ts";
import { clauses } from "./filter.ts";
import { filterTable } from "./table.ts";

const sentences = filterTable.flatMap(({ sentence }) => sentence ?? []);
const inOrder = clauses.flatMap((clause) => sentences.filter((each) => each.clause === clause));

/** All filters of a query, after "grants", e.g., " of $10,000 or more for “music” from EIN 20-0253310 since 2018"; "" for none. */
export function describeFilters(query: Query, names: KnownNames = {}): string {
  return inOrder.map(({ say }) => say(query, names)).join("");
}

/** e.g., "412 funders of grants for “music” since 2018". @param subject e.g., "412 funders" */
export function describeGrouped(subject: string, query: Query, names: KnownNames = {}): string {
  const filters = describeFilters(query, names);
  return `${subject} of ${filters === "" ? "all grants" : `grants${filters}`}`;
}
