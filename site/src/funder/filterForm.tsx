// Shows the filters of a funder's grants; on phones folded, with what is set as chips.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { formatQuery, type Query, without } from "../address/query.ts";
import { Icon } from "../parts/icon.tsx";
import { useNarrow } from "../parts/useNarrow.ts";
import { explain, groupDigits } from "../search/fields.ts";
import { type FilterName, filterNames, formatFilter, funderHref, readForm } from "./filters.ts";

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
                <a class="chip is-filter" href={funderHref(ein, without(filters, name))}>
                  <span class="hidden">Remove filter </span>
                  {formatFilter(name, filters[name])} <Icon name="close" />
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
  // The fields follow the address, e.g., when the reader goes back; what is being typed stays until then.
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
    name,
    value: filters[name],
    problem: problems
      .filter(({ parameter }) => parameter === name)
      .map((problem) => explain(problem, filters[name] ?? ""))[0],
  });
  return (
    <form ref={form} class="filters" onSubmit={submit} aria-label="Filter these grants">
      <YearField {...shared("transaction_year")} years={years} />
      <TextField {...shared("min_amount")} label="Minimum amount" isAmount />
      <TextField {...shared("purpose")} label="Purpose contains" />
      <TextField {...shared("recipient_name")} label="Recipient name contains" />
      <button class="button" type="submit">
        Filter
      </button>
    </form>
  );
}

function shownValue(name: FilterName, value = ""): string {
  return name === "min_amount" ? groupDigits(value) : value;
}

type FieldProperties = {
  readonly name: FilterName;
  readonly value: string | undefined;
  /** What is wrong with the value, in words. */
  readonly problem: string | undefined;
};

function TextField({
  name,
  value,
  problem,
  label,
  isAmount = false,
}: FieldProperties & { label: string; isAmount?: boolean }) {
  const id = `filter-${name}`;
  return (
    <div class={`filter-${name}`}>
      <label class="label" for={id}>
        {label}
      </label>
      <div class={isAmount ? "dollars" : ""}>
        {isAmount ? <span aria-hidden="true">$</span> : null}
        <input
          class={`field${value === undefined ? "" : " is-filled"}`}
          id={id}
          name={name}
          inputMode={isAmount ? "decimal" : "text"}
          placeholder={isAmount ? "0" : undefined}
          maxLength={200}
          autoComplete="off"
          defaultValue={shownValue(name, value)}
          {...invalid(id, problem)}
        />
      </div>
      <FieldProblem id={id} problem={problem} />
    </div>
  );
}

function YearField({ name, value, problem, years }: FieldProperties & { years: readonly number[] }) {
  const id = `filter-${name}`;
  const isListed = value === undefined || years.includes(Number(value));
  return (
    <div class={`filter-${name}`}>
      <label class="label" for={id}>
        Year
      </label>
      <div class="select">
        <select
          class={`field${value === undefined ? "" : " is-filled"}`}
          id={id}
          name={name}
          defaultValue={shownValue(name, value)}
          {...invalid(id, problem)}
        >
          <option value="">All years</option>
          {isListed ? null : <option>{value}</option>}
          {years.map((year) => (
            <option key={year}>{year}</option>
          ))}
        </select>
        <Icon name="down" />
      </div>
      <FieldProblem id={id} problem={problem} />
    </div>
  );
}

function invalid(id: string, problem: string | undefined) {
  return problem === undefined
    ? {}
    : ({ "aria-invalid": "true", "aria-describedby": `${id}-problem` } as const);
}

function FieldProblem({ id, problem }: { id: string; problem: string | undefined }) {
  return problem === undefined ? null : (
    <p class="field-error" id={`${id}-problem`}>
      {problem}
    </p>
  );
}
