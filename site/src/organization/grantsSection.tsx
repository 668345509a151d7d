// Shows an organization's grants, all or those that pass the filters: a heading, the calls behind the page, the table and its pager.

import type { ComponentChild } from "preact";
import { offsetByAmountMax } from "../../../api-static/contract/limits.ts";
import { funderTotalsCall } from "../api/calls.ts";
import type { Match } from "../api/client.ts";
import { useNames } from "../names/useNames.ts";
import { AddressProblems } from "../parts/addressProblems.tsx";
import { CallBar } from "../parts/callBar.tsx";
import type { ShownCall } from "../parts/calls.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { GrantTable } from "../parts/grantTable.tsx";
import { Notice } from "../parts/notice.tsx";
import { Pager } from "../parts/pager.tsx";
import { useNarrow } from "../parts/useNarrow.ts";
import { Waiting } from "../parts/waiting.tsx";
import { hasFilter, listFilters } from "../search/sentences.ts";
import { formatAmount, formatCount, formatCounted } from "../text/numbers.ts";
import {
  filtersOf,
  grantsCall,
  type OrganizationQuery,
  organizationHref,
  parametersOfPage,
  peersCall,
  type Summary,
  showsLikely,
  summaryCall,
} from "./side.ts";
import type { Passing } from "./totals.tsx";
import { headingId, type Rows } from "./usePageState.ts";

type Properties = {
  readonly read: OrganizationQuery & { readonly ein: string };
  readonly summary: Summary | undefined;
  /** True on a host without the API's server, which cannot filter. */
  readonly isStatic: boolean;
  readonly rows: Rows;
  readonly passing: Passing;
  readonly likely: LikelyParts | undefined;
};

/** How a side shows likely grants; undefined if it has none. */
export type LikelyParts = {
  /** The mark of a likely grant. */
  readonly markOf: (match: Match) => ComponentChild;
  /** The title of a table that has them, too. */
  readonly titleOf: (summary: Summary | undefined) => string;
  /** What tells them in a CSV file. */
  readonly csvNote: string;
};

/** The section. On phones the calls follow the rows, once there are rows or a reason why there are none. */
export function GrantsSection({ read, summary, isStatic, rows, passing, likely }: Properties) {
  const { side, ein, query, filters, problems } = read;
  const { grants, onUnpin } = rows;
  const { found, failure, state } = grants;
  const isNarrow = useNarrow();
  const calls = callsOf(read, isStatic, summary?.records !== 0);
  const callBar = calls.length === 0 ? null : <CallBar calls={calls} release={found?.release} />;
  const isFiltered = filtersOf[side].some((name) => hasFilter(filters, name));
  const isAdding = passing !== undefined && !/found|failed|stopped/.test(passing.state);
  // Rows of an earlier address may still be shown, whose number would be wrong.
  const total = state === "found" && !isAdding ? found?.body.total : undefined;
  const sum =
    passing === undefined ? summary : passing.state === "found" ? passing.found?.body.data : undefined;
  const title =
    likely !== undefined && showsLikely(filters)
      ? likely.titleOf(summary)
      : titleOf(isFiltered, total, summary?.records, sum?.amount);
  const hasField = (parameter: string) =>
    side === "funder" && parameter !== "match" && parametersOfPage(side).includes(parameter);
  const others = problems.filter(({ parameter }) => !hasField(parameter));
  return (
    <section class="all-grants" aria-labelledby={headingId}>
      <h2 class="result-heading" id={headingId} tabIndex={-1}>
        {title}
      </h2>
      <p class="note">
        {isFiltered && problems.length === 0 ? (
          <>
            {listFilters(filters)}. <a href={organizationHref(side, ein)}>Show all grants</a>.{" "}
          </>
        ) : null}
        {filters.sort === "amount" ? "Largest amount first" : "Newest year first, then largest amount"}
      </p>
      <p class="hidden" role="status">
        {state === "found" && !isAdding ? title : ""}
      </p>
      <AddressProblems
        query={query}
        problems={others}
        href={organizationHref(side, ein, filters)}
        link="Show the grants without it"
      />
      {isNarrow ? null : callBar}
      <FailureNotice isOrganization progress={grants} onUnpin={onUnpin} />
      <Waiting progress={grants} />
      <Table read={read} rows={rows} likely={likely} title={title} />
      {isNarrow && (found !== undefined || failure !== undefined) ? callBar : null}
    </section>
  );
}

/** The table and its pager; nothing until rows are found. */
type TableProperties = Pick<Properties, "read" | "rows" | "likely"> & { readonly title: string };

function Table({ read, rows: { grants }, likely, title }: TableProperties) {
  const { side, ein, filters } = read;
  const { found, state } = grants;
  const data = found?.body.data ?? [];
  const names = useNames(side === "funder" ? [] : data.map(({ funder_ein }) => funder_ein));
  if (found === undefined) return null;
  const { total, limit, offset } = found.body;
  if (total === 0) return side === "funder" ? <NothingPasses {...read} /> : null;
  return (
    <>
      <GrantTable
        grants={data}
        caption={title}
        names={names}
        without={side}
        query={filters}
        marks={likely && new Map(found.body.matches?.map((match) => [match.id, likely.markOf(match)]))}
        isOld={state !== "found"}
      />
      <Pager
        total={total}
        limit={limit}
        offset={offset}
        offsetMax={filters.sort === "amount" ? offsetByAmountMax : undefined}
        hrefOf={(first) =>
          organizationHref(side, ein, { ...filters, offset: first === 0 ? undefined : first })
        }
        release={found.release}
      />
    </>
  );
}

/** The calls of the page: on a static host, only the table's file; none for a table with invalid parameters. */
function callsOf(read: Properties["read"], isStatic: boolean, hasPeers: boolean): ShownCall[] {
  const { side, ein, filters, problems } = read;
  const isFiltered = problems.length === 0 && filtersOf[side].some((name) => hasFilter(filters, name));
  return [
    ...(isStatic
      ? []
      : [
          { href: summaryCall(side, ein).href, use: "totals and charts" },
          ...(isFiltered
            ? [{ href: funderTotalsCall(ein, filters).href, use: "totals of these grants" }]
            : []),
          ...(hasPeers
            ? [
                {
                  href: peersCall(read).href,
                  use: side === "funder" ? "funders of the same recipients" : "also funded by them",
                },
              ]
            : []),
        ]),
    ...(problems.length === 0 ? [{ href: grantsCall(read).href, use: "this table" }] : []),
  ];
}

/** e.g., "All 48 grants, $31,135", or "48 of 1,723 grants, $12,000"; without numbers until they are known. */
function titleOf(
  isFiltered: boolean,
  total: number | undefined,
  all: number | undefined,
  amount: number | undefined,
): string {
  const count = isFiltered ? total : (total ?? all);
  const sum = amount === undefined || count === 0 ? "" : `, ${formatAmount(amount)}`;
  if (count === undefined) return isFiltered ? "Grants that pass the filters" : "All grants";
  if (!isFiltered && count === 0) return "No grants as filed";
  if (!isFiltered) return `${count === 1 ? "The one grant" : `All ${formatCounted(count)}`}${sum}`;
  return `${all === undefined ? formatCounted(count) : `${formatCount(count)} of ${formatCounted(all)}`}${sum}`;
}

function NothingPasses({ side, ein, filters }: Properties["read"]) {
  const { purpose, recipient_name, match } = filters;
  const hasText = purpose !== undefined || recipient_name !== undefined;
  return (
    <Notice title="No grant passes these filters">
      {hasText
        ? `${match === undefined ? "Text" : "Each word"} is searched letter for letter, as filed. `
        : ""}
      <a href={organizationHref(side, ein)}>Show all grants of this funder</a>
    </Notice>
  );
}
