// Shows the filters of a search: a row of fields; on phones a fold, with a chip for each filter that is set.
import type { Query } from "../address/query.ts";
import type { Status } from "../api/client.ts";
import { FunderField } from "../parts/funderField.tsx";
import { Icon } from "../parts/icon.tsx";
import { TextFilter, YearFilter } from "../parts/labeled.tsx";
import { formId } from "./searchForm.tsx";
import type { FormState } from "./useForm.ts";

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
  const shared = (parameter: string) => ({
    id: `filter-${parameter}`,
    form: formId,
    problem: faultOf(parameter),
    isFilled: query[parameter] !== undefined,
  });
  const hasOther = query.purpose !== undefined && query.recipient_name !== undefined;
  const isOtherShown =
    fields.scope === "purpose" && (fields.otherWords !== "" || query.recipient_name !== undefined);
  return (
    <div class={`filters${hasOther ? " has-other" : ""}`}>
      <YearFilter
        {...shared("transaction_year")}
        any="Any year"
        years={yearsOf(status, fields.transaction_year)}
        value={fields.transaction_year}
        onChange={(event) => submit({ ...fields, transaction_year: event.currentTarget.value })}
      />
      <TextFilter
        {...shared("min_amount")}
        label="Minimum amount"
        isAmount
        value={fields.min_amount}
        onInput={(event) => change({ min_amount: event.currentTarget.value })}
      />
      <FunderField
        {...shared("funder_ein")}
        label="Funder"
        text={fields.funder_ein}
        onText={(funder_ein) => change({ funder_ein })}
        onFunder={(funder_ein) => submit({ ...fields, funder_ein })}
      />
      <TextFilter
        {...shared("recipient_ein")}
        label="Recipient EIN"
        inputMode="numeric"
        placeholder="00-0000000"
        value={fields.recipient_ein}
        onInput={(event) => change({ recipient_ein: event.currentTarget.value })}
      />
      {isOtherShown ? (
        <TextFilter
          {...shared("recipient_name")}
          label="Recipient name"
          value={fields.otherWords}
          onInput={(event) => change({ otherWords: event.currentTarget.value })}
        />
      ) : null}
    </div>
  );
}

/** The years of the release, newest first. @param chosen a year of the address, offered even if the release lacks it */
export function yearsOf(status: Status | undefined, chosen: string): readonly string[] {
  const years = new Set(status?.years.map(({ transaction_year: year }) => String(year)));
  if (chosen !== "") years.add(chosen);
  return [...years].sort((a, b) => Number(b) - Number(a));
}
