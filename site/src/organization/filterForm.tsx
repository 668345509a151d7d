// Shows the filters of a funder's grants.
import { formatQuery } from "../address/query.ts";
import { knows } from "../api/places.ts";
import { useStatus } from "../api/useCall.ts";
import { useNarrow } from "../parts/useNarrow.ts";
import { FilterChips, Filters } from "../search/filters.tsx";
import { hasFilter } from "../search/sentences.ts";
import { useForm } from "../search/useForm.ts";
import { filtersOf, type OrganizationQuery, organizationHref, type Summary } from "./side.ts";
import type { Rows } from "./usePageState.ts";

export type FilterFormProperties = {
  readonly read: OrganizationQuery & { readonly ein: string };
  readonly summary: Summary | undefined;
  readonly rows: Rows;
};

/** The `id` of the form. */
const formId = "filters";

/** The form of filters, and on phones a chip for each filter that is set. */
export function FilterForm({ read, summary, rows }: FilterFormProperties) {
  const { side, ein, filters, problems } = read;
  const isNarrow = useNarrow();
  const form = useForm({ query: filters, problems }, rows.grants.failure, (to) =>
    rows.go(formatQuery({ ein, ...to }), false),
  );
  const status = useStatus().found?.body;
  const names = filtersOf[side].filter((name) => hasFilter(filters, name) || knows(status, name));
  return (
    <div class={isNarrow ? "phone-row" : "filter-row"}>
      <form
        id={formId}
        aria-label="Filter these grants"
        onSubmit={(event) => {
          event.preventDefault();
          form.submit(form.fields);
        }}
      >
        <Filters
          form={form}
          formId={formId}
          names={names}
          query={filters}
          years={summary?.years.map(({ transaction_year }) => transaction_year) ?? []}
          isNarrow={isNarrow}
          button="Filter"
        />
      </form>
      {isNarrow ? (
        <FilterChips query={filters} names={names} hrefOf={(rest) => organizationHref(side, ein, rest)} />
      ) : null}
    </div>
  );
}
