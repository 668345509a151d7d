// Shows that a search can't be run: its address has parameters that the API refuses.
import type { ComponentChildren } from "preact";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { formatQuery, type Query, without } from "../address/query.ts";
import { AddressProblems } from "../parts/addressProblems.tsx";

type Properties = {
  readonly query: Query;
  readonly problems: readonly Problem[];
  /** The filters, where they are folded. */
  readonly children: ComponentChildren;
};

/** The problems of an address, and a link to the search without the invalid parameters. */
export function Problems({ query, problems, children }: Properties) {
  const rest = without(query, ...problems.map(({ parameter }) => parameter));
  const isEmpty = Object.keys(rest).length === 0;
  return (
    <div class="results">
      <h1 class="result-heading" id="result" tabIndex={-1}>
        This search can’t be run
      </h1>
      {children}
      <AddressProblems
        query={query}
        problems={problems}
        href={`/${formatQuery(rest)}`}
        link={isEmpty ? "Start a new search" : "Search without it"}
      />
    </div>
  );
}
