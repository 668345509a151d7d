// Shows a field with its label above and its problem below.
import type { ComponentChildren, ComponentProps } from "preact";
import { Icon } from "./icon.tsx";

/** The attributes that tie a field to its problem for screen readers. */
type Described = {
  readonly id: string;
  readonly "aria-invalid": "true" | undefined;
  readonly "aria-describedby": string | undefined;
};

type LabeledProperties = {
  readonly id: string;
  readonly label: string;
  /** The problem with the value. */
  readonly problem: string | undefined;
  readonly children: (described: Described) => ComponentChildren;
};

/** A label, the field that `children` makes, and its problem. */
export function Labeled({ id, label, problem, children }: LabeledProperties) {
  const problemId = problem === undefined ? undefined : `${id}-problem`;
  return (
    <div>
      <label class="label" for={id}>
        {label}
      </label>
      {children({
        id,
        "aria-invalid": problem === undefined ? undefined : "true",
        "aria-describedby": problemId,
      })}
      {problem === undefined ? null : (
        <p class="field-error" id={problemId}>
          {problem}
        </p>
      )}
    </div>
  );
}

type Filter = Omit<LabeledProperties, "children" | "label"> & {
  /** True if the address has this filter: the field is tinted. */
  readonly isFilled: boolean;
};

type InputAttributes = Pick<
  ComponentProps<"input">,
  "name" | "form" | "value" | "defaultValue" | "inputMode" | "placeholder" | "maxLength" | "onInput"
>;

type SelectAttributes = Pick<
  ComponentProps<"select">,
  "name" | "form" | "value" | "defaultValue" | "onChange"
>;

/** A field for text or, with a dollar sign, for an amount. */
export function TextFilter({
  id,
  label,
  problem,
  isFilled,
  isAmount = false,
  ...input
}: Filter & InputAttributes & { label: string; isAmount?: boolean }) {
  return (
    <Labeled id={id} label={label} problem={problem}>
      {(described) => (
        <div class={isAmount ? "dollars" : undefined}>
          {isAmount ? <span aria-hidden="true">$</span> : null}
          <input
            {...described}
            class={fieldClass(isFilled)}
            inputMode={isAmount ? "decimal" : "text"}
            placeholder={isAmount ? "0" : undefined}
            autocomplete="off"
            {...input}
          />
        </div>
      )}
    </Labeled>
  );
}

/** A choice of years. @param years to choose from @param any the choice of all years */
export function YearFilter({
  id,
  problem,
  isFilled,
  years,
  any,
  ...select
}: Filter & SelectAttributes & { years: readonly string[]; any: string }) {
  return (
    <Labeled id={id} label="Year" problem={problem}>
      {(described) => (
        <div class="select">
          <select {...described} class={fieldClass(isFilled)} {...select}>
            <option value="">{any}</option>
            {years.map((year) => (
              <option key={year}>{year}</option>
            ))}
          </select>
          <Icon name="down" />
        </div>
      )}
    </Labeled>
  );
}

/** The class of a field. @param isFilled true if the address has its value */
export function fieldClass(isFilled: boolean): string {
  return `field${isFilled ? " is-filled" : ""}`;
}
