// Shows a field for a funder: its EIN, or its name with suggestions where the release has names.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { useFoundFunders, useNames } from "../names/useNames.ts";
import { cleanEins } from "../search/fields.ts";
import { formatCounted } from "../text/numbers.ts";
import { Combobox } from "./combobox.tsx";
import { FiledText } from "./filedText.tsx";
import { fieldClass, Labeled } from "./labeled.tsx";

type Properties = {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Called with nine digits when a suggestion is chosen. A typed EIN is read when the form is submitted. */
  readonly onFunder: (ein: string) => void;
  /** The problem with the text, shown below the field. */
  readonly problem?: string | undefined;
  readonly isFilled?: boolean | undefined;
  /** `id` of the form, if the field stands outside it. */
  readonly form?: string | undefined;
};

const chooseListed =
  "Enter an EIN, for example 13-1635294, or choose one of the funders that the field lists.";

/** The field with its label. */
export function FunderField(properties: Properties) {
  const { id, label, text, onText, onFunder, problem, isFilled = false, form } = properties;
  const { hasNames } = useNames([]);
  const funders = useFoundFunders(/^\d{9}(,|$)/.test(cleanEins(text)) ? "" : text);
  const options = funders.slice(0, 8).map(({ ein, name, city, state, records }) => ({
    key: ein,
    ein,
    content: (
      <>
        <FiledText text={name} />{" "}
        <small>
          {[hyphenateEin(ein), [city, state].filter((part) => part !== null).join(", ")].join(" ")}
        </small>
      </>
    ),
    note: records === undefined ? "" : formatCounted(records),
  }));
  const isUnlisted = problem !== undefined && hasNames && /\p{L}/u.test(text);
  return (
    <Labeled id={id} label={label} problem={isUnlisted ? chooseListed : problem}>
      {(described) => (
        <Combobox
          id={id}
          fieldClass={fieldClass(isFilled)}
          placeholder={hasNames ? "Name or EIN" : "00-0000000"}
          form={form}
          value={text}
          onText={onText}
          options={options}
          onChoose={({ ein }) => onFunder(ein)}
          problemId={described["aria-describedby"]}
        />
      )}
    </Labeled>
  );
}
