// Shows the filters of a search: a row of fields; on phones a fold, with a chip for each filter that is set.
import { useId } from "preact/hooks";
import type { Query } from "../address/query.ts";
import type { Status } from "../api/client.ts";
import { FunderField } from "../parts/funderField.tsx";
import { Icon } from "../parts/icon.tsx";
import { formId } from "./searchForm.tsx";
import type { FormState } from "./useForm.ts";
import { yearsOf } from "./years.ts";

type Properties = {
  readonly form: FormState;
  /** The query of the address: its fields look filled. */
  readonly query: Query;
  readonly status: Status | undefined;
  readonly isNarrow: boolean;
};

/** The filters. */
export function Filters(properties: Properties) {
  const { isNarrow, form } = properties;
  if (!isNarrow) return <FilterFields {...properties} />;
  const hasFault = ["transaction_year", "min_amount", "funder_ein", "recipient_ein"].some(
    (parameter) => form.faultOf(parameter) !== undefined,
  );
  return (
    <details class="filter-fold" open={hasFault}>
      <summary class="button">
        <Icon name="filter" /> Filters
      </summary>
      <FilterFields {...properties} />
      <button class="button button-main" type="submit" form={formId}>
        Show grants
      </button>
    </details>
  );
}

function FilterFields({ form, query, status }: Properties) {
  const { fields, change, submit, faultOf } = form;
  const filled = (parameter: string) => (query[parameter] === undefined ? "field" : "field is-filled");
  const years = yearsOf(status, fields.transaction_year);
  return (
    <div
      class={`filters${query.purpose === undefined || query.recipient_name === undefined ? "" : " has-other"}`}
    >
      <Labeled label="Year" parameter="transaction_year" fault={faultOf("transaction_year")}>
        {(attributes) => (
          <div class="select">
            <select
              {...attributes}
              class={filled("transaction_year")}
              value={fields.transaction_year}
              onChange={(event) => submit({ ...fields, transaction_year: event.currentTarget.value })}
            >
              <option value="">Any year</option>
              {years.map((year) => (
                <option key={year} value={year}>
                  {year}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </div>
        )}
      </Labeled>
      <Labeled label="Minimum amount" parameter="min_amount" fault={faultOf("min_amount")}>
        {(attributes) => (
          <div class="dollars">
            <span aria-hidden="true">$</span>
            <input
              {...attributes}
              class={filled("min_amount")}
              inputMode="decimal"
              autocomplete="off"
              placeholder="0"
              value={fields.min_amount}
              onInput={(event) => change({ min_amount: event.currentTarget.value })}
            />
          </div>
        )}
      </Labeled>
      <FunderField
        id="filter-funder_ein"
        label="Funder"
        text={fields.funder_ein}
        onText={(funder_ein) => change({ funder_ein })}
        form={formId}
        onFunder={(funder_ein) => submit({ ...fields, funder_ein })}
        problem={faultOf("funder_ein")}
        isFilled={query.funder_ein !== undefined}
      />
      <Labeled label="Recipient EIN" parameter="recipient_ein" fault={faultOf("recipient_ein")}>
        {(attributes) => (
          <input
            {...attributes}
            class={filled("recipient_ein")}
            inputMode="numeric"
            autocomplete="off"
            placeholder="00-0000000"
            value={fields.recipient_ein}
            onInput={(event) => change({ recipient_ein: event.currentTarget.value })}
          />
        )}
      </Labeled>
      {fields.otherWords === "" && query.recipient_name === undefined ? null : fields.scope === "purpose" ? (
        <Labeled label="Recipient name" parameter="recipient_name" fault={faultOf("recipient_name")}>
          {(attributes) => (
            <input
              {...attributes}
              class={filled("recipient_name")}
              value={fields.otherWords}
              onInput={(event) => change({ otherWords: event.currentTarget.value })}
            />
          )}
        </Labeled>
      ) : null}
    </div>
  );
}

type Attributes = {
  readonly id: string;
  readonly form: string;
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
};

type LabeledProperties = {
  readonly label: string;
  readonly parameter: string;
  readonly fault: string | undefined;
  readonly children: (attributes: Attributes) => preact.ComponentChild;
};

/** A field with its label above and its problem below. */
function Labeled({ label, parameter, fault, children }: LabeledProperties) {
  const faultId = useId();
  const id = `filter-${parameter}`;
  const isFaulty = fault !== undefined;
  return (
    <div>
      <label class="label" for={id}>
        {label}
      </label>
      {children({
        id,
        form: formId,
        "aria-invalid": isFaulty || undefined,
        "aria-describedby": isFaulty ? faultId : undefined,
      })}
      {isFaulty ? (
        <p class="field-error" id={faultId}>
          {fault}
        </p>
      ) : null}
    </div>
  );
}
