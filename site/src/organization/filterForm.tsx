// Shows the filters of a funder's grants; on phones folded, with a chip for each filter that is set.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { textLengthMax } from "../../../api-static/contract/limits.ts";
import { formatQuery, type Query, without, withoutNeedlessMatch } from "../address/query.ts";
import { Icon } from "../parts/icon.tsx";
import { TextFilter, YearFilter } from "../parts/labeled.tsx";
import { useNarrow } from "../parts/useNarrow.ts";
import { explain, groupDigits } from "../search/fields.ts";
import { type FilterName, filterNames, formatFilter, readForm } from "./filters.ts";
import { organizationHref } from "./side.ts";

type Properties = {
  readonly ein: string;
  readonly filters: Query;
  readonly problems: readonly Problem[];
  /** The years to choose from, newest first. */
  readonly years: readonly number[];
  readonly onFilter: (filters: Query) => void;
};

/** The form, and a chip for each filter on phones. */
export function FilterForm(properties: Properties) {
  const { ein, filters, problems } = properties;
  const isPhone = useNarrow();
  const [isOpen, setIsOpen] = useState(problems.length > 0);
  const form = <Fields {...properties} />;
  if (!isPhone) return form;
  return (
    <div class="filter-fold">
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary class="button">
          <Icon name="filter" /> Filters
        </summary>
        {form}
      </details>
      {isOpen ? null : (
        <ul class="chips">
          {filterNames.map((name) =>
            filters[name] === undefined ? null : (
              <li key={name}>
                <a
                  class="chip is-filter"
                  href={organizationHref("funder", ein, withoutNeedlessMatch(without(filters, name)))}
                >
                  <span class="hidden">Remove filter </span>
                  {formatFilter(name, filters)} <Icon name="close" />
                </a>
              </li>
            ),
          )}
        </ul>
      )}
    </div>
  );
}

function Fields({ filters, problems, years, onFilter }: Properties) {
  const form = useRef<HTMLFormElement>(null);
  // The fields follow the address, e.g., when the reader goes back; unfinished input stays until then.
  const setFields = (names: readonly FilterName[]) => {
    for (const name of names) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
        field.value = shownValue(name, filters[name]);
    }
  };
  const address = formatQuery(filters);
  useLayoutEffect(() => setFields(filterNames), [address]);
  useLayoutEffect(() => setFields(["transaction_year"]), [years.length]); // its options arrive with the summary
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const textOf = (name: FilterName) => String(data.get(name) ?? "");
    onFilter(
      readForm({
        transaction_year: textOf("transaction_year"),
        min_amount: textOf("min_amount"),
        purpose: textOf("purpose"),
        recipient_name: textOf("recipient_name"),
      }),
    );
  };
  const shared = (name: FilterName) => ({
    id: `filter-${name}`,
    name,
    isFilled: filters[name] !== undefined,
    problem: problems
      .filter(({ parameter }) => parameter === name)
      .map((problem) => explain(problem, filters[name] ?? ""))[0],
    defaultValue: shownValue(name, filters[name]),
  });
  const year = filters.transaction_year;
  const isListed = year === undefined || years.includes(Number(year));
  return (
    <form ref={form} class="filters" onSubmit={submit} aria-label="Filter these grants">
      <YearFilter
        {...shared("transaction_year")}
        any="All years"
        years={[...(isListed ? [] : [year]), ...years.map(String)]}
      />
      <TextFilter {...shared("min_amount")} label="Minimum amount" isAmount maxLength={textLengthMax} />
      <TextFilter {...shared("purpose")} label="Purpose contains" maxLength={textLengthMax} />
      <TextFilter {...shared("recipient_name")} label="Recipient name contains" maxLength={textLengthMax} />
      <button class="button" type="submit">
        Filter
      </button>
    </form>
  );
}

function shownValue(name: FilterName, value = ""): string {
  return name === "min_amount" ? groupDigits(value) : value;
}
