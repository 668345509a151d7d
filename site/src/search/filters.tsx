// Shows filters of grants: a row of fields; on phones a fold, and a chip for each filter that is set.
import { type Query, without, withoutNeedlessMatch } from "../address/query.ts";
import { FunderField } from "../parts/funderField.tsx";
import { Icon } from "../parts/icon.tsx";
import { type Described, fieldClass, Labeled } from "../parts/labeled.tsx";
import { type FilterName, formatFilter, type KnownNames } from "./sentences.ts";
import type { FormState } from "./useForm.ts";

type Properties = {
  readonly form: FormState;
  /** `id` of the form, which the fields may stand outside of. */
  readonly formId: string;
  /** The filters that have a field. */
  readonly names: readonly FilterName[];
  /** The query of the address: its fields look filled. */
  readonly query: Query;
  /** The years to choose from. */
  readonly years: readonly number[];
  readonly isNarrow: boolean;
  /** The text of the button that submits them, if they need one. */
  readonly button: string | undefined;
};

/** The fields, folded on phones. */
export function Filters(properties: Properties) {
  const { form, formId, names, query, isNarrow, button } = properties;
  const fields = (
    <div
      class={`filters${query.purpose !== undefined && query.recipient_name !== undefined ? " has-other" : ""}`}
    >
      {names.map((name) => (
        <Field key={name} {...properties} name={name} />
      ))}
      {button === undefined ? null : (
        <button class={`button${isNarrow ? " button-main" : ""}`} type="submit" form={formId}>
          {button}
        </button>
      )}
    </div>
  );
  if (!isNarrow) return fields;
  return (
    <details class="filter-fold" open={names.some((name) => form.faultOf(name) !== undefined)}>
      <summary class="button">
        <Icon name="filter" /> Filters
      </summary>
      {fields}
    </details>
  );
}

const labels: Readonly<Record<FilterName, string>> = {
  transaction_year: "Year",
  min_amount: "Minimum amount",
  funder_ein: "Funder",
  recipient_ein: "Recipient EIN",
  purpose: "Purpose contains",
  recipient_name: "Recipient name contains",
};

function Field(properties: Properties & { name: FilterName }) {
  const { form, formId, query, name } = properties;
  const id = `filter-${name}`;
  const [value, label, problem] = [form.fields[name], labels[name], form.faultOf(name)];
  const isFilled = query[name] !== undefined;
  const isAmount = name === "min_amount";
  if (name === "funder_ein")
    return (
      <FunderField
        {...{ id, label, problem, isFilled, form: formId }}
        text={value}
        onText={(text) => form.change({ [name]: text })}
        onFunder={(ein) => form.submit({ ...form.fields, [name]: ein })}
      />
    );
  return (
    <Labeled id={id} label={label} problem={problem}>
      {(described) =>
        name === "transaction_year" ? (
          <YearSelect {...properties} described={described} />
        ) : (
          <div class={isAmount ? "dollars" : undefined}>
            {isAmount ? <span aria-hidden="true">$</span> : null}
            <input
              {...described}
              class={fieldClass(isFilled)}
              form={formId}
              inputMode={isAmount ? "decimal" : name === "recipient_ein" ? "numeric" : "text"}
              placeholder={isAmount ? "0" : name === "recipient_ein" ? "00-0000000" : undefined}
              autocomplete="off"
              value={value}
              onInput={(event) => form.change({ [name]: event.currentTarget.value })}
            />
          </div>
        )
      }
    </Labeled>
  );
}

/** A choice of years, newest first, which filters at once. A year of the address is offered even if no grant has it. */
function YearSelect({ form, formId, query, years, described }: Properties & { described: Described }) {
  const chosen = form.fields.transaction_year;
  const offered = new Set([...years.map(String), ...(chosen === "" ? [] : [chosen])]);
  return (
    <div class="select">
      <select
        {...described}
        class={fieldClass(query.transaction_year !== undefined)}
        form={formId}
        value={chosen}
        onChange={(event) => form.submit({ ...form.fields, transaction_year: event.currentTarget.value })}
      >
        <option value="">Any year</option>
        {[...offered]
          .sort((a, b) => Number(b) - Number(a))
          .map((year) => (
            <option key={year}>{year}</option>
          ))}
      </select>
      <Icon name="down" />
    </div>
  );
}

type ChipsProperties = {
  readonly query: Query;
  /** The filters that may have a chip. */
  readonly names: readonly FilterName[];
  readonly known?: KnownNames;
  /** The address of the page with these filters. */
  readonly hrefOf: (filters: Query) => string;
};

/** A chip for each filter that is set, which removes it. For phones, where the fields are folded. */
export function FilterChips({ query, names, known = {}, hrefOf }: ChipsProperties) {
  return names.map((name) => {
    if (query[name] === undefined) return null;
    const [label, value] = formatFilter(name, query, known);
    return (
      <a
        key={name}
        class="chip is-filter"
        href={hrefOf(withoutNeedlessMatch(without(query, name, "limit", "offset")))}
      >
        <span class="hidden">Remove filter </span>
        {label} <b>{value}</b> <Icon name="close" />
      </a>
    );
  });
}
