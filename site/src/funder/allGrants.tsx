// Shows a funder's grants: filters, the calls behind the page, the table and its pager.
import type { Ref } from "preact";
import { formatQuery, type Query } from "../address/query.ts";
import type { FunderSummary, HistoryPage } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { CallBar } from "../parts/callBar.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { GrantTable } from "../parts/grantTable.tsx";
import { Notice } from "../parts/notice.tsx";
import { Pager } from "../parts/pager.tsx";
import { useNarrow } from "../parts/useNarrow.ts";
import { Waiting } from "../parts/waiting.tsx";
import { explain } from "../search/fields.ts";
import { formatCount, formatCounted } from "../text/numbers.ts";
import { FilterForm } from "./filterForm.tsx";
import { describeFilters, type FunderQuery, filterNames, funderHref } from "./filters.ts";

type Properties = {
  readonly read: FunderQuery & { readonly ein: string };
  readonly summary: FunderSummary | undefined;
  /** True on a host without the API's server, which cannot filter. */
  readonly isStatic: boolean;
  readonly grants: Progress<HistoryPage>;
  readonly calls: readonly [string, string];
  readonly heading: Ref<HTMLHeadingElement>;
  readonly onFilter: (filters: Query) => void;
  readonly onPage: (search: string) => void;
  readonly onUnpin: () => void;
};

/** The section of all grants, or of those that pass the filters. */
export function AllGrants(properties: Properties) {
  const { read, summary, isStatic, grants, calls, heading, onFilter, onPage, onUnpin } = properties;
  const { ein, filters, problems } = read;
  const names = useNames([]);
  const isFiltered = Object.keys(filters).length > 0;
  const { found, failure, state } = grants;
  const isNarrow = useNarrow();
  const total = found?.body.total ?? (isFiltered ? undefined : summary?.records);
  const title = total === undefined ? "All grants" : headingText(total, isFiltered, summary?.records);
  const callBar = (
    <CallBar
      calls={
        isStatic
          ? [{ href: calls[1], use: "this table" }]
          : [
              { href: calls[0], use: "totals and charts" },
              { href: calls[1], use: "this table" },
            ]
      }
      release={found?.release}
    />
  );
  return (
    <section class="all-grants" aria-labelledby="grants">
      <h2 class="result-heading" id="grants" ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p class="note">
        {isFiltered && problems.length === 0 ? (
          <>
            {describeFilters(filters)}. <a href={funderHref(ein, {})}>Show all grants</a>.{" "}
          </>
        ) : null}
        Newest year first, then largest amount
      </p>
      <p class="hidden" role="status">
        {state === "found" ? title : ""}
      </p>
      {isStatic ? null : (
        <FilterForm
          ein={ein}
          filters={filters}
          problems={problems}
          years={summary?.years.map(({ transaction_year }) => transaction_year) ?? []}
          onFilter={onFilter}
        />
      )}
      <AddressProblems ein={ein} filters={filters} problems={problems} />
      {isNarrow ? null : callBar}
      <FailureNotice isOrganization progress={grants} onUnpin={onUnpin} />
      <Waiting progress={grants} />
      {found === undefined ? null : found.body.total === 0 ? (
        <NothingPasses ein={ein} />
      ) : (
        <>
          <GrantTable
            grants={found.body.data}
            caption={title}
            names={names}
            without="funder"
            found={{ purpose: filters.purpose, recipientName: filters.recipient_name }}
            isOld={state !== "found"}
          />
          <Pager
            total={found.body.total}
            limit={found.body.limit}
            offset={found.body.offset}
            hrefOf={(offset) =>
              funderHref(ein, { ...filters, offset: offset === 0 ? undefined : String(offset) })
            }
            onGo={(href) =>
              onPage(formatQuery(Object.fromEntries(new URL(href, location.href).searchParams)))
            }
          />
        </>
      )}
      {isNarrow && (found !== undefined || failure !== undefined) ? callBar : null}
    </section>
  );
}

function headingText(total: number, isFiltered: boolean, all: number | undefined): string {
  if (!isFiltered) return total === 1 ? "The one grant" : `All ${formatCounted(total)}`;
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

/** Problems of the address that no field shows, such as a parameter that the page doesn't know. */
function AddressProblems({
  ein,
  filters,
  problems,
}: Pick<Properties["read"], "ein" | "filters" | "problems">) {
  const others = problems.filter(({ parameter }) => !(filterNames as readonly string[]).includes(parameter));
  if (others.length === 0) return null;
  return (
    <Notice
      tone="error"
      title={others.length === 1 ? "One problem in the address" : "Problems in the address"}
    >
      <ul>
        {others.map((problem) => (
          <li key={problem.parameter}>
            <code>{problem.parameter}</code>: {explain(problem, "")}
          </li>
        ))}
      </ul>
      <a class="button" href={funderHref(ein, filters)}>
        Show the grants without it
      </a>
    </Notice>
  );
}
