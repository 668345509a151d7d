// Shows a field for a funder or a recipient: its EIN, or its name with suggestions where the release has a list of organizations.
import { useState } from "preact/hooks";
import { useNames } from "../names/useNames.ts";
import { cleanEins } from "../text/typed.ts";
import { Combobox, type Option } from "./combobox.tsx";
import { fieldClass, Labeled } from "./labeled.tsx";
import { useLoaded } from "./useLoaded.ts";

type Properties = {
  readonly id: string;
  readonly label: string;
  readonly side: "funder" | "recipient";
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Called with nine digits when a suggestion is chosen. A typed EIN is read when the form is submitted. */
  readonly onEin: (ein: string) => void;
  /** The problem with the text, shown below the field. */
  readonly problem?: string | undefined;
  readonly isFilled?: boolean | undefined;
  /** `id` of the form, if the field stands outside it. */
  readonly form?: string | undefined;
};

/** The field with its label. */
export function OrganizationField(properties: Properties) {
  const { id, label, side, text, onText, onEin, problem, isFilled = false, form } = properties;
  const { hasNames } = useNames([]);
  const isEin = /^\d{9}(,|$)/.test(cleanEins(text));
  const [isUsed, setIsUsed] = useState(false);
  const [options, setOptions] = useState<readonly Option[]>([]);
  const part = useLoaded(isUsed, () => import("./organizationOptions.tsx"));
  const isUnlisted = problem !== undefined && hasNames && /\p{L}/u.test(text);
  const chooseListed = `Enter an EIN, for example 13-1635294, or choose one of the ${side}s that the field lists.`;
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
          onChoose={({ key }) => onEin(key)}
          onUse={() => setIsUsed(true)}
          problemId={described["aria-describedby"]}
        >
          {part === undefined ? null : (
            <part.OrganizationOptions text={isEin ? "" : text} side={side} onOptions={setOptions} />
          )}
        </Combobox>
      )}
    </Labeled>
  );
}
