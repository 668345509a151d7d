// Shows a field with its label above and its problem below.
import type { ComponentChildren } from "preact";

/** The attributes that tie a field to its problem for screen readers. */
export type Described = {
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

/** The class of a field. @param isFilled true if the address has its value */
export function fieldClass(isFilled: boolean): string {
  return `field${isFilled ? " is-filled" : ""}`;
}
