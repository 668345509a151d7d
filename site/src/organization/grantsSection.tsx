// Shows an organization's grants: a heading, the calls behind the page, the table and its pager.
import type { ComponentChildren } from "preact";
import type { Query } from "../address/query.ts";
import { useNames } from "../names/useNames.ts";
import { CallBar, type ShownCall } from "../parts/callBar.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { GrantTable } from "../parts/grantTable.tsx";
import { Pager } from "../parts/pager.tsx";
import { useNarrow } from "../parts/useNarrow.ts";
import { Waiting } from "../parts/waiting.tsx";
import { formatCounted } from "../text/numbers.ts";
import { headingId, type Rows } from "./usePageState.ts";

type Properties = {
  readonly rows: Rows;
  readonly title: string;
  /** Stands before the order of the table, e.g., its filters in words. */
  readonly note?: ComponentChildren;
  /** The calls of the page. */
  readonly calls: readonly ShownCall[];
  /** The column that is the same in every row. */
  readonly without: "funder" | "recipient";
  /** The filters that the rows pass. */
  readonly filters?: Query;
  /** The address of the page that begins at this row; undefined is the first. */
  readonly hrefOf: (offset: string | undefined) => string;
  /** Takes the table's place if no grant passes the filters. */
  readonly none?: ComponentChildren;
  /** Stands between the heading and the calls, e.g., a form of filters. */
  readonly children?: ComponentChildren;
};

/** The section. On phones the calls follow the rows, once there are rows or a reason why there are none. */
export function GrantsSection(properties: Properties) {
  const { title, note, calls, children } = properties;
  const { grants, onUnpin } = properties.rows;
  const { found, failure, state } = grants;
  const isNarrow = useNarrow();
  const callBar = calls.length === 0 ? null : <CallBar calls={calls} release={found?.release} />;
  return (
    <section class="all-grants" aria-labelledby={headingId}>
      <h2 class="result-heading" id={headingId} tabIndex={-1}>
        {title}
      </h2>
      <p class="note">{note}Newest year first, then largest amount</p>
      <p class="hidden" role="status">
        {state === "found" ? title : ""}
      </p>
      {children}
      {isNarrow ? null : callBar}
      <FailureNotice isOrganization progress={grants} onUnpin={onUnpin} />
      <Waiting progress={grants} />
      <Table {...properties} />
      {isNarrow && (found !== undefined || failure !== undefined) ? callBar : null}
    </section>
  );
}

/** The table and its pager; nothing until rows are found. */
function Table({ rows, title, without, filters = {}, hrefOf, none }: Properties) {
  const { found, state } = rows.grants;
  const grants = found?.body.data ?? [];
  const names = useNames(without === "funder" ? [] : grants.map(({ funder_ein }) => funder_ein));
  if (found === undefined) return null;
  const { total, limit, offset } = found.body;
  if (total === 0 && none !== undefined) return <>{none}</>;
  return (
    <>
      <GrantTable
        grants={grants}
        caption={title}
        names={names}
        without={without}
        query={filters}
        isOld={state !== "found"}
      />
      <Pager
        total={total}
        limit={limit}
        offset={offset}
        hrefOf={(first) => hrefOf(first === 0 ? undefined : String(first))}
        release={found.release}
      />
    </>
  );
}

/** e.g., "All 48 grants"; "All grants" until their number is known. */
export function allGrants(total: number | undefined): string {
  if (total === undefined) return "All grants";
  return total === 1 ? "The one grant" : `All ${formatCounted(total)}`;
}
