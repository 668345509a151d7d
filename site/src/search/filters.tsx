// Shows filters of grants and their order: a row of fields; on phones a fold, and a chip for each filter that is set.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { KnownNames } from "../../../api-static/contract/text/searchText.ts";
import { type Query, without, withoutNeedlessMatch } from "../address/query.ts";
import { Icon } from "../parts/icon.tsx";
import { fieldClass, Labeled } from "../parts/labeled.tsx";
import { OrganizationField } from "../parts/organizationField.tsx";
import { attributeTexts, isAttribute } from "../text/attributeTexts.ts";
import type { FieldName } from "./fields.ts";
import { type FilterName, formatFilter, hasFilter, parametersOf } from "./sentences.ts";
import type { FormState } from "./useForm.ts";

type Properties = {
  readonly form: FormState;
  /** `id` of the form, which the fields may stand outside of. */
  readonly formId: string;
  /** The filters that have a field; rare ones have it if they are set, or asked for. */
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
  const { form, formId, query, names, isNarrow, button } = properties;
  const [hasRare, setRare] = useState(false);
  const shown = names.filter((name) => hasRare || !isRare(name) || hasFilter(query, name));
  const fields = (
    <div class="filters">
      {shown.map((name) => (
        <FilterFields key={name} {...properties} name={name} />
      ))}
      <OrderSelect {...properties} />
      {shown.length === names.length ? null : (
        <button class="button" type="button" onClick={() => setRare(true)}>
          More filters
        </button>
      )}
      {button === undefined ? null : (
        <button class={`button${isNarrow ? " button-main" : ""}`} type="submit" form={formId}>
          {button}
        </button>
      )}
    </div>
  );
  if (!isNarrow) return fields;
  const isFaulty = names.some((name) => parametersOf[name].some((each) => form.faultOf(each) !== undefined));
  return (
    <details class="filter-fold" open={isFaulty}>
      <summary class="button">
        <Icon name="filter" /> Filters
      </summary>
      {fields}
    </details>
  );
}

function isRare(name: FilterName): boolean {
  return isAttribute(name) && attributeTexts[name].isRare === true;
}

type FieldProperties = Properties & {
  /** The parameter that the field holds. */
  readonly field: FieldName;
  readonly label: string;
};

/** The fields of a filter: two for a range, side by side. */
function FilterFields(properties: Properties & { name: FilterName }) {
  const { form, formId, query, name } = properties;
  switch (name) {
    case "years":
      return (
        <div class="range">
          <YearSelect {...properties} field="min_year" label="From year" any="Any" />
          <YearSelect {...properties} field="max_year" label="To year" any="Any" />
        </div>
      );
    case "amounts":
      return (
        <div class="range">
          <TextField {...properties} field="min_amount" label="Min. amount" placeholder="0" />
          <TextField {...properties} field="max_amount" label="Max. amount" placeholder="Any" />
        </div>
      );
    case "funder_ein":
    case "recipient_ein":
      return (
        <OrganizationField
          id={`filter-${name}`}
          label={name === "funder_ein" ? "Funder" : "Recipient"}
          side={name === "funder_ein" ? "funder" : "recipient"}
          problem={form.faultOf(name)}
          isFilled={query[name] !== undefined}
          form={formId}
          text={form.fields[name]}
          onText={(text) => form.change({ [name]: text })}
          onEin={(ein) => form.submit({ ...form.fields, [name]: ein })}
        />
      );
    case "purpose":
      return <TextField {...properties} field={name} label="Purpose contains" />;
    case "recipient_name":
      return <TextField {...properties} field={name} label="Recipient contains" />;
    default: {
      const { label, options } = attributeTexts[name];
      return options === undefined ? (
        <TextField {...properties} field={name} label={label} placeholder="Any" />
      ) : (
        <NameSelect {...properties} field={name} label={label} texts={options} />
      );
    }
  }
}

function TextField(properties: FieldProperties & { placeholder?: string }) {
  const { form, formId, query, field, label, placeholder } = properties;
  const isAmount = field === "min_amount" || field === "max_amount";
  return (
    <Labeled id={`filter-${field}`} label={label} problem={form.faultOf(field)}>
      {(described) => (
        <div class={isAmount ? "dollars" : undefined}>
          {isAmount ? <span aria-hidden="true">$</span> : null}
          <input
            {...described}
            class={fieldClass(query[field] !== undefined)}
            form={formId}
            inputMode={isAmount ? "decimal" : "text"}
            placeholder={placeholder}
            autocomplete="off"
            value={form.fields[field]}
            onInput={(event) => form.change({ [field]: event.currentTarget.value })}
          />
        </div>
      )}
    </Labeled>
  );
}

/** A choice of years, newest first. A year of the address is offered even if no grant has it. */
function YearSelect(properties: FieldProperties & { any: string }) {
  const { form, query, years, field, any } = properties;
  const chosen = form.fields[field];
  const offered = new Set([...years.map(String), ...(chosen === "" ? [] : [chosen])]);
  return (
    <Select
      {...properties}
      problem={form.faultOf(field) ?? form.faultOf("transaction_year")}
      isFilled={(query[field] ?? query.transaction_year) !== undefined}
    >
      <option value="">{any}</option>
      {[...offered]
        .sort((a, b) => Number(b) - Number(a))
        .map((year) => (
          <option key={year}>{year}</option>
        ))}
    </Select>
  );
}

/** A choice of states or causes by name. Other letters of the address are offered as they are. */
function NameSelect(properties: FieldProperties & { texts: ReadonlyMap<string, string> }) {
  const { form, query, field, texts } = properties;
  const chosen = form.fields[field];
  return (
    <Select {...properties} problem={form.faultOf(field)} isFilled={query[field] !== undefined}>
      <option value="">Any</option>
      {chosen === "" || texts.has(chosen) ? null : <option>{chosen}</option>}
      {[...texts].map(([letters, name]) => (
        <option key={letters} value={letters}>
          {name}
        </option>
      ))}
    </Select>
  );
}

type SelectProperties = FieldProperties & {
  readonly problem: string | undefined;
  readonly isFilled: boolean;
  readonly children: ComponentChildren;
};

/** A choice that filters or orders at once. */
function Select({ form, formId, field, label, problem, isFilled, children }: SelectProperties) {
  return (
    <Labeled id={`filter-${field}`} label={label} problem={problem}>
      {(described) => (
        <div class="select">
          <select
            {...described}
            class={fieldClass(isFilled)}
            form={formId}
            value={form.fields[field]}
            onChange={(event) => form.submit({ ...form.fields, [field]: event.currentTarget.value })}
          >
            {children}
          </select>
          <Icon name="down" />
        </div>
      )}
    </Labeled>
  );
}

function OrderSelect(properties: Properties) {
  const { form, query } = properties;
  return (
    <Select
      {...properties}
      field="sort"
      label="Order"
      problem={form.faultOf("sort")}
      isFilled={query.sort === "amount"}
    >
      <option value="">Newest first</option>
      <option value="amount">Largest first</option>
    </Select>
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
    if (!hasFilter(query, name)) return null;
    const [label, value] = formatFilter(name, query, known);
    return (
      <a
        key={name}
        class="chip is-filter"
        href={hrefOf(withoutNeedlessMatch(without(query, ...parametersOf[name], "limit", "offset")))}
      >
        <span class="hidden">Remove filter </span>
        {label} <b>{value}</b> <Icon name="close" />
      </a>
    );
  });
}
