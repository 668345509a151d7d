// Shows a funder's grants: all of them, or those that pass the filters.
import type { Query } from "../address/query.ts";
import { funderPeersCall, funderSummaryCall } from "../api/calls.ts";
import type { FunderSummary } from "../api/client.ts";
import { allGrants, GrantsSection } from "../organization/grantsSection.tsx";
import type { Rows } from "../organization/usePageState.ts";
import { AddressProblems } from "../parts/addressProblems.tsx";
import type { ShownCall } from "../parts/callBar.tsx";
import { Notice } from "../parts/notice.tsx";
import { formatCount, formatCounted } from "../text/numbers.ts";
import { FilterForm } from "./filterForm.tsx";
import {
  describeFilters,
  type FilterName,
  type FunderQuery,
  filterNames,
  funderHref,
  grantsCall,
} from "./filters.ts";

type Properties = {
  readonly read: FunderQuery & { readonly ein: string };
  readonly summary: FunderSummary | undefined;
  /** True on a host without the API's server, which cannot filter. */
  readonly isStatic: boolean;
  readonly rows: Rows;
  readonly onFilter: (filters: Query) => void;
};

/** The section of all grants, or of those that pass the filters. */
export function AllGrants({ read, summary, isStatic, rows, onFilter }: Properties) {
  const { ein, query, filters, problems } = read;
  const isFiltered = Object.keys(filters).length > 0;
  const found = rows.grants.found?.body.total;
  const title = isFiltered ? filteredTitle(found, summary?.records) : allGrants(found ?? summary?.records);
  return (
    <GrantsSection
      rows={rows}
      title={title}
      note={
        isFiltered && problems.length === 0 ? (
          <>
            {describeFilters(filters)}. <a href={funderHref(ein, {})}>Show all grants</a>.{" "}
          </>
        ) : null
      }
      calls={callsOf(read, isStatic)}
      without="funder"
      filters={filters}
      hrefOf={(first) => funderHref(ein, { ...filters, offset: first })}
      none={<NothingPasses ein={ein} />}
    >
      {isStatic ? null : (
        <FilterForm
          ein={ein}
          filters={filters}
          problems={problems}
          years={summary?.years.map(({ transaction_year }) => transaction_year) ?? []}
          onFilter={onFilter}
        />
      )}
      <AddressProblems
        query={query}
        problems={problems.filter(({ parameter }) => !filterNames.includes(parameter as FilterName))}
        href={funderHref(ein, filters)}
        link="Show the grants without it"
      />
    </GrantsSection>
  );
}

/** The calls of the page: on a static host, only the table's file; none for a table with invalid filters. */
function callsOf({ ein, filters, problems, offset }: Properties["read"], isStatic: boolean): ShownCall[] {
  const table = { href: grantsCall(ein, filters, offset).href, use: "this table" };
  return [
    ...(isStatic
      ? []
      : [
          { href: funderSummaryCall(ein).href, use: "totals and charts" },
          { href: funderPeersCall(ein).href, use: "funders of the same recipients" },
        ]),
    ...(problems.length === 0 ? [table] : []),
  ];
}

/** e.g., "48 of 1,723 grants". */
function filteredTitle(total: number | undefined, all: number | undefined): string {
  if (total === undefined) return allGrants(undefined);
  return all === undefined ? formatCounted(total) : `${formatCount(total)} of ${formatCounted(all)}`;
}

function NothingPasses({ ein }: { ein: string }) {
  return (
    <Notice title="No grant passes these filters">
      <p>
        Text is searched letter for letter, as filed.{" "}
        <a href={funderHref(ein, {})}>Show all grants of this funder</a>
      </p>
    </Notice>
  );
}
